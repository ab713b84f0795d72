import { bytesOf } from '#protocol/base/base64url'
import { userIdOfKey } from '#protocol/base/identity'
import type { KnownInception } from '#protocol/base/inception-head'
import { type HybridKey, kemKeyId, statedKeyOf } from '#protocol/base/key-agreement'
import { type Signed, verifyStatement } from '#protocol/base/statement'
import { NO_COMMITMENT_HASH } from '#protocol/chain/commitment'
import type { AttestDevice } from '#protocol/devices/inception'
import {
  type InceptionStep,
  placeAt,
  type SignedPlace,
  type SignerHistory,
  type SignerStanding,
  signerStanding,
} from '#protocol/devices/signer-standing'
import { verifyEventSignatures } from '#protocol/devices/verifier'
import type { NoteVersion } from '#protocol/notes/api'
import { MAX_WRAPPED_KEYS, type NoteStatement } from '#protocol/notes/notes'
import type { Chain } from '../chain/chain.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { RootKeys } from '../chain/root-keys.ts'
import type { Devices } from '../devices/devices.ts'
import { inceptionName } from '../devices/known-inception.ts'
import { deviceStandingOf } from '../devices/standing.ts'
import type { Did } from '../did/did.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import type { Reader } from './cipher.ts'

/** How long the list of readers is cached, unless this client sees a newer head of the inception log before. */
const READERS_FRESH_MS = 60_000

export interface NoteKeyDependencies {
  readonly owner: Identity | Device
  /** Earlier keys of the same identity, to read what was encrypted to them. */
  readonly former: readonly Identity[]
  /** Sheets of words that the root key encrypts notes to; undefined if they are not known. */
  readonly sheets: readonly HybridKey[] | undefined
  /** Readers of sheets whose words are available. */
  readonly sheetReaders: readonly Reader[]
  readonly chain: Pick<Chain, 'readGenesis'>
  readonly history: KeyHistory
  readonly devices: Devices
  readonly did: Did
  readonly transport: Transport
  /** The memory of `devices`: it knows every head that this client appended or was shown. */
  readonly memory: KnownLogs
}

/** The readers as the inception log had them at one head. */
interface Readers {
  readonly keys: readonly HybridKey[]
  readonly head: string
  readonly at: number
}

export type PlacedNote = Pick<NoteVersion, 'statement' | 'acceptedAt'>

/** The root keys and the inception log at one head. */
interface History extends SignerHistory {
  readonly keys: RootKeys
  /** Null for a device that may not read the log: it knows the root keys alone. */
  readonly log: readonly InceptionStep[] | null
}

interface KnownHistory extends Omit<History, 'now'> {
  readonly head: string
  readonly at: number
}

/** Ids of the keys that a version is encrypted for. */
export function readersOf({ wrappedKeys }: NoteStatement): readonly string[] {
  return wrappedKeys.map((wrapped) => wrapped.kemKeyId)
}

/** Each key once, by its id; of two with one id, the last. */
function uniqueKeys(keys: readonly HybridKey[]): readonly HybridKey[] {
  return [...new Map(keys.map((key) => [kemKeyId(key.kemPublicKeyB64u), key])).values()]
}

/** Who signs notes, and who can read them. */
export class NoteKeys {
  readonly #deps: NoteKeyDependencies
  /** Verified public keys of the identity and its devices, by userId. */
  readonly #signers = new Map<string, string>()
  #readers: Readers | null = null
  #history: KnownHistory | null = null
  /** Whether the root key of this client has a commitment, which never changes. */
  #namesSuccessors: boolean | undefined

  constructor(deps: NoteKeyDependencies) {
    this.#deps = deps
    const { owner, former } = deps
    const own = owner instanceof Identity ? owner.publicKeyB64u : owner.devicePublicKeyB64u
    // A new deployment does not know the earlier keys.
    for (const key of [own, ...former.map(({ publicKeyB64u }) => publicKeyB64u)])
      this.#signers.set(userIdOfKey(key), key)
  }

  /** The keys that can decrypt notes here. */
  get own(): readonly Reader[] {
    return [this.#deps.owner, ...this.#deps.former, ...this.#deps.sheetReaders]
  }

  /** The userId of the key that signs here. */
  get keyId(): string {
    const { owner } = this.#deps
    return userIdOfKey(owner instanceof Identity ? owner.publicKeyB64u : owner.devicePublicKeyB64u)
  }

  /**
   * Returns the keys to encrypt a note to: this one, the identity's own, those of every active device that can read
   * notes, and those of the sheets of words. Reads them from the verified inception log and the DID document, and caches
   * them for a minute or until this client knows a newer event.
   */
  async readers(): Promise<readonly HybridKey[]> {
    const now = this.#deps.transport.now()
    const cached = this.#readers
    if (cached && (await this.#isCurrent(cached, now))) return cached.keys
    const { owner, devices } = this.#deps
    const inception = await devices.verify()
    const reading = inception.devices.filter(
      (device) =>
        device.capabilities.includes('notes:read') &&
        deviceStandingOf(device, { epoch: owner.epoch, now }) === 'active',
    )
    const theirs = reading.flatMap(({ deviceId }) => inception.kemKeys.get(deviceId) ?? [])
    const stated = owner instanceof Identity ? await this.#sheetsOf(owner) : await this.#statedBy(owner)
    const keys = uniqueKeys([owner, ...theirs, ...stated])
    if (keys.length > MAX_WRAPPED_KEYS) throw new RangeError(`A note can have at most ${MAX_WRAPPED_KEYS} readers`)
    // The head that was verified: an event that this client appended meanwhile makes the next note read again.
    this.#readers = { keys, head: inception.head.hash, at: now }
    return keys
  }

  /** Asks only the memory of this client, not the service. */
  async #isCurrent({ head, at }: Pick<Readers, 'head' | 'at'>, now: number): Promise<boolean> {
    if (now - at >= READERS_FRESH_MS) return false
    const known = await this.#deps.memory.recall(inceptionName(this.#deps.owner.did))
    return known.at(-1)?.hash === head
  }

  /** Returns the sheets that this client was given, or those that the root key has published. */
  async #sheetsOf(root: Identity): Promise<readonly HybridKey[]> {
    const { sheets, did: resolver } = this.#deps
    if (sheets) return sheets
    this.#namesSuccessors ??= await this.#isCommitted(root)
    if (!this.#namesSuccessors) return []
    return (await resolver.keyAgreementOf(root.did))?.sheets ?? []
  }

  /** Returns whether a root key signed a commitment to successors when it became the root key. */
  async #isCommitted({ did, epoch }: Identity): Promise<boolean> {
    const { chain, history } = this.#deps
    if (epoch === 0) return (await chain.readGenesis(did)).block.metadataHash !== NO_COMMITMENT_HASH
    return (await history.of(did))[epoch]?.commitment?.next.length !== 0
  }

  /** Returns the keys in the DID document, those of the root key and of its sheets. A device has no other source. */
  async #statedBy({ did }: Device): Promise<readonly HybridKey[]> {
    const stated = await this.#deps.did.keyAgreementOf(did)
    if (stated === null)
      throw new Error(
        'The identity has no key agreement, so its root key could not read this: call `did.register` first',
      )
    return [statedKeyOf(stated), ...(stated.sheets ?? [])]
  }

  /** Proves the keys of the devices that may have written notes, to anyone who knows the root keys. */
  async attestations(): Promise<readonly AttestDevice[]> {
    return (await this.#deps.devices.verify()).attestations
  }

  /** Adds devices of the identity from another source. Throws if no root key of the identity attested one. */
  async learn(attestations: readonly AttestDevice[]): Promise<void> {
    const { owner, former, history, transport } = this.#deps
    const known = (await history.of(owner.did)).map(({ publicKeyB64u }) => publicKeyB64u)
    const own = owner instanceof Identity ? [owner.publicKeyB64u] : []
    const roots = new Set([...own, ...former.map(({ publicKeyB64u }) => publicKeyB64u), ...known])
    for (const attestation of attestations) {
      const { did, devicePublicKeyB64u } = attestation.statement
      const signed = await Promise.all(
        [...roots].map((root) => verifyEventSignatures(attestation, bytesOf(root), transport.realms)),
      )
      if (did !== owner.did || !signed.includes(true))
        throw unverified('device', 'wrong_identity', 'A device in the archive does not belong to this identity')
      this.#signers.set(userIdOfKey(devicePublicKeyB64u), devicePublicKeyB64u)
    }
  }

  /** Throws unless a statement was signed by the key it names, and that key is or was one of this identity. */
  async check(signed: Signed<object>, keyId: string): Promise<void> {
    const key = this.#signers.get(keyId) ?? (await this.#learn(keyId))
    if (key === undefined)
      throw unverified('note', 'wrong_owner', 'A note was signed by a key that never belonged to this identity')
    const isSigned = await verifyStatement(signed, bytesOf(key), this.#deps.transport.realms)
    if (!isSigned) throw unverified('note', 'invalid_signature', 'The signature of a note is invalid')
  }

  /** The newest event of the inception log that this client has seen. */
  known(): Promise<KnownInception> {
    return this.#deps.devices.known()
  }

  /** What the key of a version is, and whether it could sign it; `check` verifies the signature. What this key signed is its own. */
  async standing(statement: NoteStatement, followedAt: SignedPlace | null = null): Promise<SignerStanding> {
    const { keyId, inception, issuedAt } = statement
    if (keyId === this.keyId) return { signer: 'active', fault: null }
    const publicKeyB64u = this.#signers.get(keyId) ?? (await this.#learn(keyId))
    if (publicKeyB64u === undefined) return { signer: null, fault: 'wrong_key' }
    const history = await this.#historyWith(inception)
    const placed = { publicKeyB64u, inception, issuedAt, capability: 'notes:write' } as const
    const standing = signerStanding(history, placed, followedAt)
    // A key of another deployment: one passed in `former`, or a device of an archive.
    return standing.fault === 'wrong_key' ? { signer: 'superseded', fault: 'unordered' } : standing
  }

  /**
   * Returns the standing of the key at the time at which the vault accepted the version; null if the version is of
   * another deployment, or if only an archive or `former` names the key.
   */
  async standingAt({ statement, acceptedAt }: PlacedNote): Promise<SignerStanding | null> {
    const { keyId, inception, issuedAt, realm } = statement
    const publicKeyB64u = this.#signers.get(keyId)
    if (publicKeyB64u === undefined || realm !== this.#deps.transport.realm) return null
    const history = await this.#historyWith(inception)
    const { keys, log } = history
    const isTheirs =
      keys.some((root) => root.publicKeyB64u === publicKeyB64u) ||
      log?.some(({ device }) => device?.publicKeyB64u === publicKeyB64u)
    if (!isTheirs) return null
    const placed = { publicKeyB64u, inception, issuedAt, capability: 'notes:write' } as const
    return signerStanding(history, placed, placeAt(keys, log, acceptedAt))
  }

  /** The events that came before a version of an active key; null if it names none. */
  async placeOf({ keyId, inception }: NoteStatement): Promise<SignedPlace | null> {
    if (!inception) return null
    const { keys, log } = await this.#historyWith(inception)
    const root = keys.find(({ userId }) => userId === keyId)
    const epoch = Math.max(root?.epoch ?? 0, log?.[inception.sequence]?.rootEpoch ?? 0)
    return { epoch, sequence: inception.sequence, before: null }
  }

  /**
   * Returns whether this key signed it for this deployment. False if it names an event that the log does not have, as
   * after a deployment was set up anew, because other readers would refuse it.
   */
  async isOurs({ keyId, header, realm, inception }: NoteStatement): Promise<boolean> {
    const { owner, transport } = this.#deps
    if (keyId !== this.keyId || header.userId !== owner.userId || realm !== transport.realm) return false
    if (!inception) return true
    const { log } = await this.#historyWith(inception)
    return log === null || log[inception.sequence]?.hash === inception.hash
  }

  /** The history, which has the event that is named if there is one. */
  async #historyWith(inception: KnownInception): Promise<History> {
    const { owner, history, devices, transport } = this.#deps
    const now = transport.now()
    const cached = this.#history
    const isEnough = cached !== null && (cached.log === null || (inception?.sequence ?? 0) < cached.log.length)
    if (isEnough && (await this.#isCurrent(cached, now))) return { ...cached, now }
    const [keys, inceptions] = await Promise.all([history.of(owner.did), devices.verify().catch(notShown)])
    const log = inceptions?.steps ?? null
    const head = inceptions?.head.hash ?? (await this.#deps.memory.recall(inceptionName(owner.did))).at(-1)?.hash ?? ''
    this.#history = { keys, log, head, at: now }
    return { keys, log, now }
  }

  async #learn(keyId: string): Promise<string | undefined> {
    const { owner, history, devices } = this.#deps
    for (const { publicKeyB64u } of await history.of(owner.did))
      this.#signers.set(userIdOfKey(publicKeyB64u), publicKeyB64u)
    if (!this.#signers.has(keyId)) {
      for (const { publicKeyB64u } of (await devices.verify()).devices)
        this.#signers.set(userIdOfKey(publicKeyB64u), publicKeyB64u)
    }
    return this.#signers.get(keyId)
  }
}

/** A device without `account:read` may not see the log. */
function notShown(error: unknown): null {
  if (error instanceof ServiceError && error.error === 'capability_required') return null
  throw error
}
