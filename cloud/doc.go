// Package cloud registers the object stores of Amazon (s3://), Google (gs://) and Microsoft (azblob://), and compatible ones, by
// gocloud.dev/blob. It is a separate module, so that the plain program stays small.
package cloud
