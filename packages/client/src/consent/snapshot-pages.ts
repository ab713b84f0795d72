import { type SnapshotPage, snapshotPageSchema } from '#protocol/consent/snapshot'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'

/** The pages of one bucket, unverified but for their order. */
export async function bucketPages(
  transport: Transport,
  base: string,
  { bucket, at }: { readonly bucket: number; readonly at: number | undefined },
): Promise<SnapshotPage[]> {
  const pages: SnapshotPage[] = []
  for (let from: string | null = null, time = at, isLast = false; !isLast; ) {
    const query = new URLSearchParams({
      bucket: String(bucket),
      ...(time === undefined ? {} : { at: String(time) }),
      ...(from === null ? {} : { from }),
    })
    const call = { method: 'GET', url: `${base}/snapshot?${query.toString()}`, isMirrored: true } as const
    const page: SnapshotPage = await transport.json(call, snapshotPageSchema)
    const { statement } = page
    const isNext =
      statement.bucket === bucket && statement.from === from && (time === undefined || statement.at === time)
    if (!isNext || (statement.to !== null && statement.to === from))
      throw unverified('snapshot', 'different_answer', 'Consent answered with a different page', {
        evidence: statement,
      })
    pages.push(page)
    from = statement.to
    time = statement.at
    isLast = from === null
  }
  return pages
}
