import { Client } from '@svc/client'
import { SetupError } from '@svc/platform/workspace'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { anchorLeafOf } from '@svc/protocol/ledger/anchor-log'
import type { AnchorListItem, AnchorRecord, AnchorStatus } from '@svc/protocol/ledger/anchors'

export interface Publication {
  readonly anchorId: string
  /** The ledger: 1 to 64 characters of a-z 0-9 : -. */
  readonly chain: string
  readonly tx: string
  readonly state: 'published' | 'confirmed'
}

/** Anchors that have a status, newest first. Those that are `submitted` wait for a publisher. */
export function anchorsWith(
  status: AnchorStatus,
  { core, did, realm }: { readonly core: string; readonly did: string; readonly realm: string },
): AsyncIterable<AnchorListItem> {
  return new Client({ core, did, realm }).anchors.all({ status })
}

/** Reports a ledger transaction to core the way a publisher does. Every report carries its own nonce. */
export async function reportPublication(
  { core, did, realm }: { readonly core: string; readonly did: string; readonly realm: string },
  { anchorId, ...publication }: Publication,
  seed: Uint8Array,
): Promise<AnchorRecord> {
  const leaf = anchorLeafOf(await new Client({ core, did, realm }).anchors.read(anchorId))
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(24)))
  const statement = {
    type: 'svc/anchor-publication/v2',
    realm,
    leaf,
    ...publication,
    nonce,
    issuedAt: Date.now(),
  } as const
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  const response = await fetch(`${core}/api/anchors/publish-callback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(signed),
  })
  if (!response.ok) throw new SetupError(`core answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as AnchorRecord
}
