/** What the tests of assets share: assets that nobody else has, and requests to mint and move them. */
import { env } from 'cloudflare:workers'
import { makeDeviceAssertion } from '@svc/assertion'
import type { AssetCore, AssetMintHeader, AssetRecord, AssetTransferHeader } from '@svc/protocol/assets'
import { type Capability, deviceIdOf } from '@svc/protocol/device'
import type { GovernanceAttestation } from '@svc/protocol/governance'
import { toHex } from '@svc/protocol/hash'
import { signStatement } from '@svc/protocol/statement'
import type { TestCaller } from '@svc/testing'
import { freshSigners } from './governance.fixture.ts'
import { CORE, call, send } from './harness.ts'

type Send = (request: Request) => Promise<Response>
export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}
interface Extras {
  readonly attestations?: readonly GovernanceAttestation[]
  readonly header?: object
  readonly fetch?: Send
}

export const freshAssetId = () => `asset:sha3-384:${toHex(crypto.getRandomValues(new Uint8Array(48)))}`
const CID = `bafkrei${'a2'.repeat(26)}`

export function assetOf(assetId = freshAssetId(), members: Partial<AssetCore> = {}): AssetCore {
  return { assetId, media: { mime: 'image/png', bytes: 12, cid: CID }, ...members }
}

const headerOf = ({ identity }: TestCaller, assetId: string) => ({
  userId: identity.userId,
  assetId,
  timestamp: '2026-10-23T10:00:00Z',
  app: { name: 'studio', version: '1.2.0' },
})
export const mintHeaderOf = (caller: TestCaller, assetId: string): AssetMintHeader => ({
  ...headerOf(caller, assetId),
  action: 'asset/mint',
})
export const transferHeaderOf = (caller: TestCaller, assetId: string, to: string): AssetTransferHeader => ({
  ...headerOf(caller, assetId),
  action: 'asset/transfer',
  to,
})

/** Mints without an attestation unless some are given; header members override what a good one would say. */
export function mint(
  caller: TestCaller,
  asset: AssetCore,
  { attestations, header, fetch }: Extras = {},
): Promise<Answer> {
  const body = { header: { ...mintHeaderOf(caller, asset.assetId), ...header }, asset, attestations }
  return call(caller, 'POST', '/api/assets/mint', body, fetch)
}

export function transfer(
  caller: TestCaller,
  assetId: string,
  to: string,
  { attestations, header, fetch }: Extras = {},
): Promise<Answer> {
  const body = { header: { ...transferHeaderOf(caller, assetId, to), ...header }, attestations }
  return call(caller, 'POST', '/api/assets/transfer', body, fetch)
}

/** A fresh asset of the caller; gives its id. */
export async function minted(caller: TestCaller): Promise<string> {
  const asset = assetOf()
  const { status } = await mint(caller, asset)
  if (status !== 200) throw new Error(`the mint was answered with ${status}`)
  return asset.assetId
}

export const dataOf = ({ body }: Answer) => body['data'] as AssetRecord
export const refused = (status: number, error: string) => ({ status, body: { success: false, error } })

/** What the database says of an asset: its owner, the count of its transfers, and the transfers that there are. */
export async function stored(assetId: string) {
  const asset = await env.DB.prepare('SELECT owner, transfers FROM assets WHERE asset_id = ?')
    .bind(assetId)
    .first<{ owner: string; transfers: number }>()
  const events = await env.DB.prepare(
    'SELECT position, previous_owner, new_owner FROM asset_transfers WHERE asset_id = ? ORDER BY position',
  )
    .bind(assetId)
    .all()
  return { owner: asset?.owner, transfers: asset?.transfers, events: events.results }
}

/** An attested device of the caller: sends one request with a version-2 assertion. */
export async function deviceOf(caller: TestCaller, capabilities: readonly Capability[]) {
  const { identity, client, address } = caller
  const [keys] = await freshSigners(1)
  const { publicKeyB64u: devicePublicKeyB64u, kemPublicKeyB64u } = keys!
  const deviceId = deviceIdOf(devicePublicKeyB64u)
  const sign = (message: Uint8Array) => keys!.sign(message)
  const member = { did: identity.did, deviceId, devicePublicKeyB64u, origin: 'app:testing' }
  const acceptance = {
    type: 'svc/device-acceptance/v1' as const,
    ...member,
    kemPublicKeyB64u,
    capabilities: [...capabilities],
    issuedAt: Date.now(),
  }
  await client.devices.attest(await signStatement(acceptance, sign))
  const { userId, scope, epoch } = identity
  const request = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> => {
    const url = CORE + path
    const bytes = body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
    const authorization = await makeDeviceAssertion(
      { ...member, userId, scope, rootEpoch: epoch, capabilities, sign },
      { audience: 'chain', method, url, body: bytes, now: Date.now() },
    )
    const headers = { authorization, 'cf-connecting-ip': address, 'content-type': 'application/json' }
    const response = await send(new Request(url, { method, headers, ...(bytes ? { body: bytes } : {}) }))
    return { status: response.status, body: await response.json() }
  }
  return { keys: keys!, did: `did:svc:${deviceId}`, request }
}
