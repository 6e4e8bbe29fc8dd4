// Package cloud registers the object stores of Amazon (s3://), Google (gs://) and Microsoft (azblob://), and whatever speaks their
// protocols, by gocloud.dev/blob. It is a module of its own, so that the plain program stays small.
package cloud
