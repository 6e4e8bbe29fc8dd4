// Package protobuf walks the messages of protocol buffers in a file, without a schema, and reads nothing of the fields that its caller skips: a
// model of gigabytes has a few kilobytes of fields around its elements.
//
//	for x, err := range file.Fields(file.Whole()) {
//		if err != nil {
//			return err
//		}
//		switch x.Tag {
//		case 1<<3 | protobuf.Varint: // a number
//			version = x.Value
//		case 7<<3 | protobuf.Bytes: // a text, bytes, or a message whose fields are file.Fields(x.Section)
//			graph = x.Section
//		}
//	}
//
// A field of another type than its schema says has another tag, so that it is skipped like an unknown one, as protobuf's own parsers do. A file
// may repeat any field: the caller decides whether the last one counts, or each.
//
// Input is assumed to be hostile: each field is inside its message, and nothing is allocated by a length that the file claims. Errors are
// Malformed, or those of the file. A caller that descends into messages of messages bounds the depth itself.
//
// Package protowire of google.golang.org/protobuf, with which tests write messages, is not used here: it opens the running program when it is
// initialized.
//
// Source: Protocol Buffers, Encoding (protobuf.dev/programming-guides/encoding). Groups, which proto3 does not have, are refused.
package protobuf
