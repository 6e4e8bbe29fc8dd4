package pickle

// opcode is the byte that begins an instruction.
type opcode byte

// The supported opcodes.
const (
	opMark          opcode = '('
	opStop          opcode = '.'
	opPop           opcode = '0'
	opPopMark       opcode = '1'
	opDup           opcode = '2'
	opBinFloat      opcode = 'G'
	opBinInt        opcode = 'J'
	opBinInt1       opcode = 'K'
	opBinInt2       opcode = 'M'
	opNone          opcode = 'N'
	opBinPersID     opcode = 'Q'
	opReduce        opcode = 'R'
	opBinString     opcode = 'T'
	opShortString   opcode = 'U'
	opBinUnicode    opcode = 'X'
	opAppend        opcode = 'a'
	opBuild         opcode = 'b'
	opGlobal        opcode = 'c'
	opAppends       opcode = 'e'
	opBinGet        opcode = 'h'
	opLongBinGet    opcode = 'j'
	opBinPut        opcode = 'q'
	opLongBinPut    opcode = 'r'
	opSetItem       opcode = 's'
	opTuple         opcode = 't'
	opSetItems      opcode = 'u'
	opEmptyDict     opcode = '}'
	opEmptyList     opcode = ']'
	opEmptyTuple    opcode = ')'
	opBinBytes      opcode = 'B'
	opShortBinBytes opcode = 'C'

	opFloat   opcode = 'F' // these have text arguments
	opInt     opcode = 'I'
	opLong    opcode = 'L'
	opPersID  opcode = 'P'
	opString  opcode = 'S'
	opUnicode opcode = 'V'
	opDict    opcode = 'd'
	opGet     opcode = 'g'
	opInst    opcode = 'i'
	opList    opcode = 'l'
	opObj     opcode = 'o'
	opPut     opcode = 'p'

	opProto           opcode = 0x80
	opNewObj          opcode = 0x81
	opTuple1          opcode = 0x85
	opTuple2          opcode = 0x86
	opTuple3          opcode = 0x87
	opNewTrue         opcode = 0x88
	opNewFalse        opcode = 0x89
	opLong1           opcode = 0x8a
	opLong4           opcode = 0x8b
	opShortBinUnicode opcode = 0x8c
	opBinUnicode8     opcode = 0x8d
	opBinBytes8       opcode = 0x8e
	opEmptySet        opcode = 0x8f
	opAddItems        opcode = 0x90
	opFrozenSet       opcode = 0x91
	opNewObjEx        opcode = 0x92
	opStackGlobal     opcode = 0x93
	opMemoize         opcode = 0x94
	opFrame           opcode = 0x95
	opByteArray8      opcode = 0x96
)

// opcodeNames has the names of pickletools.
var opcodeNames = map[opcode]string{
	opMark: "MARK", opStop: "STOP", opPop: "POP", opPopMark: "POP_MARK", opDup: "DUP", opBinFloat: "BINFLOAT", opBinInt: "BININT",
	opBinInt1: "BININT1", opBinInt2: "BININT2", opNone: "NONE", opBinPersID: "BINPERSID", opReduce: "REDUCE", opBinString: "BINSTRING",
	opShortString: "SHORT_BINSTRING", opBinUnicode: "BINUNICODE", opAppend: "APPEND", opBuild: "BUILD", opGlobal: "GLOBAL",
	opAppends: "APPENDS", opBinGet: "BINGET", opLongBinGet: "LONG_BINGET", opBinPut: "BINPUT", opLongBinPut: "LONG_BINPUT",
	opSetItem: "SETITEM", opTuple: "TUPLE", opSetItems: "SETITEMS", opEmptyDict: "EMPTY_DICT", opEmptyList: "EMPTY_LIST",
	opEmptyTuple: "EMPTY_TUPLE", opBinBytes: "BINBYTES", opShortBinBytes: "SHORT_BINBYTES", opProto: "PROTO", opNewObj: "NEWOBJ",
	opTuple1: "TUPLE1", opTuple2: "TUPLE2", opTuple3: "TUPLE3", opNewTrue: "NEWTRUE", opNewFalse: "NEWFALSE", opLong1: "LONG1",
	opLong4: "LONG4", opShortBinUnicode: "SHORT_BINUNICODE", opBinUnicode8: "BINUNICODE8", opBinBytes8: "BINBYTES8",
	opEmptySet: "EMPTY_SET", opAddItems: "ADDITEMS", opFrozenSet: "FROZENSET", opNewObjEx: "NEWOBJ_EX", opStackGlobal: "STACK_GLOBAL",
	opMemoize: "MEMOIZE", opFrame: "FRAME", opByteArray8: "BYTEARRAY8", opFloat: "FLOAT", opInt: "INT", opLong: "LONG", opPersID: "PERSID",
	opString: "STRING", opUnicode: "UNICODE", opDict: "DICT", opGet: "GET", opInst: "INST", opList: "LIST", opObj: "OBJ", opPut: "PUT",
}

// refused maps the other opcodes to the reason why they are not supported.
var refused = map[opcode]struct{ name, why string }{
	0x82: {"EXT1", registry}, 0x83: {"EXT2", registry}, 0x84: {"EXT4", registry},
	0x97: {"NEXT_BUFFER", buffers}, 0x98: {"READONLY_BUFFER", buffers},
}

const (
	registry = "it refers to a registry outside the pickle"
	buffers  = "its bytes are outside the pickle"
)
