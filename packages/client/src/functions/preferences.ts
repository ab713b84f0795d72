/**
 * What machines may do with content, as headers and rules say it.
 *
 * @module
 */
import {
  type AiPref,
  contentUsageLine as lineOf,
  parseAiPref as parsed,
  contentUsageRule as ruleOf,
  writeAiPref as written,
} from '#protocol/consent/ai-pref'
import { consentBucketOf as bucketOf } from '#protocol/consent/buckets'
import { checkCall, type Members } from '../arguments/check.ts'

const DECLARED: Members<AiPref> = { 'train-ai': 0, search: 0 }

/** The bucket of an identifier in snapshots of consent: 0 to 1,023. */
export function consentBucketOf(hash: string): number {
  checkCall('consentBucketOf', [hash], ['hash'])
  return bucketOf(hash)
}

/** Serializes as `train-ai=n, search=y`; '' if nothing is declared. */
export function writeAiPref(declared: AiPref): string {
  checkCall('writeAiPref', [declared], [['declared', DECLARED]])
  return written(declared)
}

/**
 * Parses a field value; null if it is not a dictionary, in which case nothing in it counts. Categories of other
 * vocabularies are ignored. A value other than the token `y` or `n` counts as absent, even if an earlier member of the
 * same name was valid.
 */
export function parseAiPref(text: string): AiPref | null {
  checkCall('parseAiPref', [text], ['text'])
  return parsed(text)
}

/** The `Content-Usage` header field (draft-ietf-aipref-attach) as a line; null if nothing is declared. */
export function contentUsageLine(declared: AiPref): string | null {
  checkCall('contentUsageLine', [declared], [['declared', DECLARED]])
  return lineOf(declared)
}

/** The robots.txt rule of the same name, for paths that begin with `path`; null if nothing is declared. */
export function contentUsageRule(declared: AiPref, path = '/'): string | null {
  checkCall('contentUsageRule', [declared, path], [['declared', DECLARED], 'path?'])
  return ruleOf(declared, path)
}
