/** Shared by the tests of assets: fresh assets, and requests to mint and transfer them. */

import { env } from 'cloudflare:workers'
import { makeDeviceAssertion } from '@svc/assertion'
import { type Capability, deviceIdOf } from '@svc/protocol/base/device'
import { toHex } from '@svc/protocol/base/hash'
import { signStatement } from '@svc/protocol/base/statement'
import {
  assetIdOf,
  mintBytes,
  type TransferPlace,
  transferBytes,
  type UnnamedCore,
} from '@svc/protocol/ledger/asset-statements'
import type { AssetCore, AssetMintHeader, AssetRecord, AssetTransferHeader } from '@svc/protocol/ledger/assets'
import type { BytesAt, GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import { REALM, signerOf, type TestCaller } from '@svc/testing'
import { attestedBy, freshSigners } from '../governance/governance.fixture.ts'
import { CORE, call, send } from '../harness.ts'

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

const freshHash = () => toHex(crypto.getRandomValues(new Uint8Array(48)))
export const freshAssetId = () => `asset:sha3-384:${freshHash()}`
const CID = `bafkrei${'a2'.repeat(26)}`

export function assetOf(assetId = freshAssetId(), members: Partial<AssetCore> = {}): AssetCore {
  return { assetId, media: { mime: 'image/png', bytes: 12, cid: CID }, ...members }
}

/** An asset whose id certifies the caller as its minter. */
export async function certifiedAsset({ identity }: TestCaller, members: Partial<UnnamedCore> = {}): Promise<AssetCore> {
  const unnamed = { media: { mime: 'image/png', bytes: 12, cid: CID }, metadataHash: freshHash(), ...members }
  return { assetId: await assetIdOf(identity.scope, unnamed), ...unnamed }
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

/** Mints without attestations by default; header members override those of a valid one. */
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

/** Mints with the signature of the caller’s root key. */
export async function mintSigned(caller: TestCaller, asset: AssetCore, extras: Extras = {}): Promise<Answer> {
  const header = { ...mintHeaderOf(caller, asset.assetId), ...extras.header } as AssetMintHeader
  const attestations = [await attestedBy(caller.identity, mintBytes(header, asset, REALM))]
  return mint(caller, asset, { attestations, ...extras })
}

/** Where the next transfer by the caller stands. */
export async function nextPlace({ identity }: TestCaller, assetId: string): Promise<TransferPlace> {
  const row = await env.DB.prepare('SELECT transfers, head FROM assets WHERE asset_id = ? ORDER BY proved DESC LIMIT 1')
    .bind(assetId)
    .first<{ transfers: number; head: string }>()
  return { previousOwner: identity.did, position: row?.transfers ?? 0, previousEventHash: row?.head ?? '' }
}

/** What the caller signs for the next transfer. */
export async function transferBytesOf(caller: TestCaller, assetId: string, to: string): Promise<BytesAt> {
  return transferBytes(transferHeaderOf(caller, assetId, to), await nextPlace(caller, assetId), REALM)
}

/** Mints a fresh asset of the caller without a signature and returns its id. */
export async function minted(caller: TestCaller): Promise<string> {
  const asset = assetOf()
  const { status } = await mint(caller, asset)
  if (status !== 200) throw new Error(`the mint was answered with ${status}`)
  return asset.assetId
}

/** The record as the SDK reads it. */
export const recordAt = async ({ client }: TestCaller, assetId: string) => (await client.assets.read(assetId)).record

export const dataOf = ({ body }: Answer) => body['data'] as AssetRecord
export const refused = (status: number, error: string) => ({ status, body: { success: false, error } })

/** The asset in the database: its owner, the count of its transfers, and its transfers. */
export async function stored(assetId: string) {
  const asset = await env.DB.prepare(
    'SELECT owner, transfers FROM assets WHERE asset_id = ? ORDER BY proved DESC LIMIT 1',
  )
    .bind(assetId)
    .first<{ owner: string; transfers: number }>()
  const events = await env.DB.prepare(
    'SELECT position, previous_owner, new_owner FROM asset_transfers WHERE asset_id = ? ORDER BY proved, position',
  )
    .bind(assetId)
    .all()
  return { owner: asset?.owner, transfers: asset?.transfers, events: events.results }
}

/** Attests a device of the caller; the result sends one request with a version-2 assertion. */
export async function deviceOf(caller: TestCaller, capabilities: readonly Capability[]) {
  const { identity, client, address } = caller
  const [keys] = await freshSigners(1)
  const { publicKeyB64u: devicePublicKeyB64u, kemPublicKeyB64u, x25519B64u } = keys!
  const deviceId = deviceIdOf(devicePublicKeyB64u)
  const sign = signerOf(keys!)
  const member = { did: identity.did, deviceId, devicePublicKeyB64u, origin: 'app:testing' }
  const acceptance = {
    type: 'svc/device-acceptance/v1' as const,
    realm: REALM,
    ...member,
    kemPublicKeyB64u,
    x25519B64u,
    capabilities: [...capabilities],
    inception: null,
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
