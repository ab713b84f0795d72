import { mlDsa65 } from '@svc/pqc'
import type { AnchorRecord } from '@svc/protocol/anchors'
import { encodeBase64url } from '@svc/protocol/base64url'
import { signStatement } from '@svc/protocol/statement'

export interface Publication {
  readonly anchorId: string
  /** Which ledger: 1 to 64 of a-z 0-9 : -. */
  readonly chain: string
  readonly tx: string
  readonly state: 'published' | 'confirmed'
}

/** Reports a ledger transaction to core the way a publisher does. Each report has a nonce of its own. */
export async function reportPublication(
  core: string,
  publication: Publication,
  seed: Uint8Array,
): Promise<AnchorRecord> {
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(24)))
  const statement = { type: 'svc/anchor-publication/v1', ...publication, nonce, issuedAt: Date.now() } as const
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  const response = await fetch(`${core}/api/anchors/publish-callback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(signed),
  })
  if (!response.ok) throw new Error(`core answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as AnchorRecord
}
