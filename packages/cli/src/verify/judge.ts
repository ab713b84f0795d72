import type { Client } from '@svc/client'
import type { AssetEvents } from '@svc/client/verify'
import { usage } from '../cli-error.ts'
import type { Detected } from './detect.ts'
import { judgeAnchor, judgeCheckpoints, judgeReceipt } from './judge-logs.ts'
import { judgeContent, judgeHash, judgeProof } from './judge-proofs.ts'
import { checked, timeOf, unchecked, type Verdict, verdictOf } from './verdict.ts'
import type { Means } from './verify.ts'

const KEY_HISTORY = 'verify it once without --offline and with --evidence FILE: a replaced root key needs its history'

/** The verdict; throws what the SDK throws if it does not verify. */
export async function judge({ kind, value }: Detected, bytes: Uint8Array | null, means: Means): Promise<Verdict> {
  switch (kind) {
    case 'did':
      return judgeDid(String(value), means)
    case 'hash':
      return judgeHash(String(value), means)
    case 'chain':
      return judgeChain(value as readonly Block[], means)
    case 'keys':
      return judgeKeys(value as readonly object[], means)
    case 'anchor':
      return judgeAnchor(value, means)
    case 'stamp':
      return verdictOf('stamp', null, [unchecked('proof', 'not in it yet')], {
        next: 'svc anchor upgrade',
        isOpen: true,
      })
    case 'proof':
      return judgeProof(value, means)
    case 'asset':
      return judgeAsset(value as AssetEvents, means)
    case 'message':
      return judgeMessage(value as SignedMessage, means)
    case 'checkpoints':
      return judgeCheckpoints(value as readonly Checkpoint[], means)
    case 'receipt':
      return judgeReceipt(value, means)
    case 'export':
      return judgeExport(value, means)
    case 'content':
      return judgeContent(bytes ?? new Uint8Array(), means)
  }
}

type Checkpoint = Parameters<Client['anchors']['verifyExtension']>[0]
type Block = Parameters<typeof import('@svc/client/functions').blockHash>[0] & { readonly epoch?: number }
type SignedMessage = import('@svc/client/verify').SignedMessage

async function judgeDid(did: string, { client }: Means): Promise<Verdict> {
  if (!client)
    return verdictOf('did', did, [checked('form', 'a DID of this platform'), unchecked('keys', 'not asked for')], {
      next: 'run it without --offline',
      isOpen: true,
    })
  const keys = await client.keyHistory.of(did)
  const { didDocument, didResolutionMetadata } = await client.did.resolve(did)
  const resolves = didDocument
    ? checked('document', 'resolves, with the current root key')
    : unchecked('document', `does not resolve: ${errorOf(didResolutionMetadata)}`)
  return verdictOf('did', did, [checked('root keys', `${keys.length}, each proved by the one before`), resolves])
}

/** The error of a resolution is an object, or missing. */
function errorOf({ error }: { readonly error?: unknown }): string {
  return typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : 'no document'
}

async function judgeChain(blocks: readonly Block[], means: Means): Promise<Verdict> {
  const [{ verifyChain }, { didOf }] = await Promise.all([
    import('@svc/client/verify'),
    import('@svc/client/functions'),
  ])
  const [genesis] = blocks
  if (!genesis) throw usage('The chain has no blocks', 'pass a file with blocks')
  const did = means.expectedDid ?? didOf(genesis.ownerPublicKey)
  const isRotated = blocks.some(({ epoch = 0 }) => epoch > 0)
  if (isRotated && !means.client)
    return verdictOf('chain', did, [unchecked('root keys', 'the root key was replaced')], {
      next: KEY_HISTORY,
      isOpen: true,
    })
  const keys = isRotated && means.client ? await means.client.keyHistory.of(did) : []
  const head = await verifyChain(blocks, did, keys)
  return verdictOf('chain', did, [
    checked('blocks', `${blocks.length}, each signed and linked to the one before`),
    checked('head', head.hash),
    means.expectedDid === null
      ? unchecked('owner', 'as the first block says; pass --did to expect one')
      : checked('owner', did),
  ])
}

async function judgeKeys(evidence: readonly object[], { expectedDid, realms }: Means): Promise<Verdict> {
  if (expectedDid === null) throw usage('A key history needs the DID that it must be of', 'pass --did')
  if (realms.length === 0) throw usage('A key history needs the deployment that it must be for', 'pass --realm')
  const { verifyKeyHistory } = await import('@svc/client/verify')
  const keys = await verifyKeyHistory(evidence, expectedDid, realms as [string, ...string[]])
  return verdictOf('keys', expectedDid, [
    checked('root keys', `${keys.length}, each proved by the one before`),
    unchecked('newest', 'whether a later key replaced the last one, a file cannot say'),
  ])
}

async function judgeAsset(events: AssetEvents, { client, realms }: Means): Promise<Verdict> {
  const { verifyAsset } = await import('@svc/client/verify')
  let isMissing = false
  const rootKeysOf = async (did: string) => {
    if (client) return client.keyHistory.of(did)
    isMissing = true
    return []
  }
  try {
    const { did, minter } = await verifyAsset(events, { realms, rootKeysOf })
    return verdictOf('asset', did, [
      checked('minted by', minter),
      checked('transfers', `${events.transfers.length}, each signed by the owner before`),
    ])
  } catch (error) {
    if (!isMissing) throw error
    return verdictOf('asset', null, [unchecked('root keys', 'a signer has replaced the root key')], {
      next: KEY_HISTORY,
      isOpen: true,
    })
  }
}

async function judgeMessage(signed: SignedMessage, { client, realms, file, expectedDid }: Means): Promise<Verdict> {
  const [{ verifyMessage }, { didOf }] = await Promise.all([
    import('@svc/client/verify'),
    import('@svc/client/functions'),
  ])
  const { did: claimedDid, audience, text, issuedAt } = signed.statement
  const did = expectedDid ?? claimedDid
  const content = file ?? text
  if (content === null) throw usage('The message is the hash of a file', 'pass the file with --file')
  const isGenesis = didOf(signed.publicKeyB64u) === did
  if (!isGenesis && !client)
    return verdictOf('message', did, [unchecked('key', 'not the first root key')], { next: KEY_HISTORY, isOpen: true })
  const keys = isGenesis || !client ? [signed] : await client.keyHistory.of(did)
  const publicKeysB64u = keys.map(({ publicKeyB64u }) => publicKeyB64u)
  await verifyMessage(signed, { did, publicKeysB64u, audience, realms: realms as [string, ...string[]], content })
  return verdictOf('message', did, [
    checked('signed', `${timeOf(issuedAt)}, by its own clock`),
    checked('audience', audience),
  ])
}

async function judgeExport(value: unknown, { passphrase }: Means): Promise<Verdict> {
  const { importKeys } = await import('@svc/client/backup')
  const { identity, devices, recovery } = await importKeys(value, await passphrase())
  const did = identity?.did ?? recovery?.did ?? devices[0]?.membership?.did ?? null
  return verdictOf('export', did, [
    checked('root key', identity ? `epoch ${identity.epoch}` : 'not in it'),
    checked('devices', String(devices.length)),
    checked('recovery', recovery ? 'in it' : 'not in it'),
  ])
}
