package main

// Registers of a program's kernel. The argument is in R0.
const (
	armDstAt, armSrcAt, armReps           = "R5", "R6", "R7"
	armDstStep, armSrcStep                = "R8", "R9"
	armAllOuts, armOutCount               = "R13", "R14"
	armAllSources, armAllIndex            = "R15", "R16"
	armAllBases                           = "R17"
	armRep, armOut, armOutLeft            = "R19", "R20", "R21" // of the period
	armSource, armIndex, armBase, armTerm = "R22", "R23", "R24", "R25"
	armOff, armVector                     = "R26", "R12"
)

// neonPrograms makes a kernel like permuter's, running one period of 16-byte vectors at a time: VTBL permutes, and returns zero for an
// index of 16 or more.
func neonPrograms(c *neon) {
	c.begin("permuteNEON", "permutation", "runs a program on vectors of 16 bytes, one period at once.")
	c.words(0, armDst, armSrc, armDstAt, armSrcAt, armJobs, armMany, armReps, armDstStep, armSrcStep,
		armAllOuts, armOutCount, armAllSources, armAllIndex, armAllBases)
	c.op("ADD", armDstAt, armDst)
	c.op("ADD", armSrcAt, armSrc)
	c.label("job")
	c.op("LDP.P", offset(16, armJobs), pair(armJobDst, armJobSrc))
	c.op("ADD", armDst, armJobDst)
	c.op("ADD", armSrc, armJobSrc)
	c.op("MOVD", armReps, armRep)
	c.label("rep")
	c.op("MOVD", armAllOuts, armOut)
	c.op("MOVD", armOutCount, armOutLeft)
	c.op("MOVD", armAllSources, armSource)
	c.op("MOVD", armAllIndex, armIndex)
	c.op("MOVD", armAllBases, armBase)
	c.label("out")
	c.op("LDP.P", offset(16, armOut), pair(armOff, armTerm))
	c.op("ADD", armJobDst, armOff)
	c.op("VLD1.P", offset(16, armBase), "["+bytesOf(0)+"]")
	c.label("term")
	c.op("MOVD.P", offset(8, armSource), armVector)
	c.op("VLD1.P", offset(16, armIndex), "["+bytesOf(1)+"]")
	c.op("ADD", armJobSrc, armVector)
	c.op("VLD1", offset(0, armVector), "["+bytesOf(2)+"]")
	c.op("VTBL", bytesOf(1), "["+bytesOf(2)+"]", bytesOf(2))
	c.op("VORR", bytesOf(2), bytesOf(0), bytesOf(0))
	c.op("SUBS", "$1", armTerm)
	c.op("BNE", "term")
	c.op("VST1", "["+bytesOf(0)+"]", offset(0, armOff))
	c.op("SUBS", "$1", armOutLeft)
	c.op("BNE", "out")
	c.op("ADD", armSrcStep, armJobSrc)
	c.op("ADD", armDstStep, armJobDst)
	c.op("SUBS", "$1", armRep)
	c.op("BNE", "rep")
	c.op("SUBS", "$1", armMany)
	c.op("BNE", "job")
	c.end()
}
