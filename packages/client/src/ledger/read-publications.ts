import { anchorLeafOf } from '#protocol/ledger/anchor-log'
import { publicationsOfAnchorSchema, verifyPublication } from '#protocol/ledger/anchor-publications'
import type { AnchorRecord, SignedPublication } from '#protocol/ledger/anchors'
import type { TrustedKeys } from '../discovery/trusted-keys.ts'
import { unpinned } from '../discovery/unpinned-error.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'

export interface PublicationsSource {
  readonly transport: Transport
  /** Of the anchors of a core. */
  readonly base: string
  /** The keys of the publisher; null if the client cannot know them. */
  readonly keys: TrustedKeys | null
}

/** Fetches the publisher's reports about an anchor and verifies their signatures. */
export async function readPublications(
  { transport, base, keys }: PublicationsSource,
  record: AnchorRecord,
): Promise<{ readonly publications: readonly SignedPublication[] }> {
  const url = `${base}/${record.anchorId}/publications`
  const answer = await transport.json({ method: 'GET', url, isMirrored: true }, publicationsOfAnchorSchema)
  const { publications } = answer
  const leaf = anchorLeafOf(record)
  const isOfAnchor = publications.every(({ statement }) => statement.leaf === leaf)
  if (answer.anchorId !== record.anchorId || !isOfAnchor)
    throw unverified('anchor', 'different_answer', 'Core answered for a different anchor', { evidence: answer })
  if (keys === null && publications.length > 0) throw unpinned('publisherKeyB64u')
  for (const publication of publications)
    if (!(await verifyPublication(publication, (await keys?.(publication.statement.issuedAt)) ?? [], transport.realms)))
      throw unverified('anchor', 'invalid_signature', 'The publisher did not sign the report', {
        where: { member: 'publications' },
        evidence: publication,
      })
  return answer
}
