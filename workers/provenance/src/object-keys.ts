/**
 * The names of all objects in R2. Nothing else in this Worker spells a prefix.
 *
 * @module
 */
import { FILE_PREFIXES } from '@svc/protocol/provenance/model-files'

/** The page on retention has each of them. */
export const OBJECT_PREFIXES = {
  capsules: 'capsules/',
  vectors: 'vectors/',
  keypoints: 'keypoints/',
  ...FILE_PREFIXES,
} as const

/** What the hash of an object's bytes begins its key with; the rest is a name of its own. */
export const hashedPrefix = (kind: 'capsules' | 'vectors', hash: string) => `${OBJECT_PREFIXES[kind]}${hash}/`
export const newKey = (kind: 'capsules' | 'vectors', hash: string) => hashedPrefix(kind, hash) + crypto.randomUUID()

export const keypointKey = (hash: string, upload: string) => `${OBJECT_PREFIXES.keypoints}${hash}/${upload}.akpb`
/** The same in SQL, of a row of `keypoints`. */
export const KEYPOINT_KEY_SQL = `'${OBJECT_PREFIXES.keypoints}' || hash || '/' || upload || '.akpb'`
