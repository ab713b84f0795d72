import { type Fingerprint, fingerprintText, packVector, toTextRegistration } from '#fingerprint'
import { textIdOf } from '#protocol/provenance/text-id'
import { checkCall } from '../arguments/check.ts'

/**
 * The default id of a registered text. It covers everything that is registered: the word count, and the index, place and
 * vector of each chunk. So it depends only on the text, and nobody can register something else under it unnoticed.
 */
export function textAssetIdOf(fingerprint: Pick<Fingerprint, 'chunks' | 'wordCount'>): string {
  checkCall('textAssetIdOf', [fingerprint], ['fingerprint'])
  const { word_count: wordCount, chunks } = toTextRegistration(fingerprint)
  return textIdOf(
    wordCount,
    chunks.map(({ values, ...place }) => ({ ...place, packed: packVector(values) })),
  )
}

/** What is sent to register a text, under its default id or another. */
export function registrationOf(text: string, assetId?: string) {
  const fingerprint = fingerprintText(text)
  return { asset_id: assetId ?? textAssetIdOf(fingerprint), ...toTextRegistration(fingerprint) }
}
