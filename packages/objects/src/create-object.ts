/** The part of a bucket that creates an object. */
export type CreatingBucket = Pick<R2Bucket, 'put' | 'head'>

/** R2's error for a key that a lock of the bucket keeps as it is: `ObjectLockedByBucketPolicy`. */
const LOCKED = /\(10069\)|\blocked\b/i

/**
 * Writes an object unless its key has one, which stays; false then. R2 does not say whether it looks at a lock or at the
 * condition first, so a write that a lock refuses counts as one that the condition refuses, if there is an object.
 */
export async function createObject(bucket: CreatingBucket, key: string, value: string | Uint8Array): Promise<boolean> {
  try {
    return (await bucket.put(key, value, { onlyIf: { etagDoesNotMatch: '*' } })) !== null
  } catch (error) {
    const isLocked = error instanceof Error && LOCKED.test(error.message)
    if (isLocked && (await bucket.head(key)) !== null) return false
    throw error
  }
}
