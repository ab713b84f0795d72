import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { didOf } from '@svc/protocol/base/identity'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import type { GenesisRecord, GenesisRequest } from '@svc/protocol/chain/api'
import {
  blockHashAsync,
  type GenesisBlock,
  genesisFault,
  type SignedBlock,
  verifyBlockSignature,
} from '@svc/protocol/chain/chain'
import { isCommitmentOf } from '@svc/protocol/chain/genesis'
import type { HoldState } from '@svc/protocol/chain/hold'
import type { RegisterRequest, StandingRegistration } from '@svc/protocol/did/registration'
import type { Authority, ConsumeNonce, KeyScope, RootKeyVersion, SpendAssertion } from '@svc/protocol/internal/core'
import { SharedReads, SIBLING_SKEW_MS } from '@svc/service'
import { blockOf, recordOf } from '../chain/record.ts'
import { CLOCKS_MS, CORE_SKEW_MS } from '../env.ts'
import type { IdentityObject } from './object.ts'
import type { RegistrationRefusal } from './registration.ts'
import type { Alias, Elsewhere, KeyRefusal } from './rules.ts'

export type InitRefusal =
  | { readonly reason: 'not_genesis'; readonly detail: string }
  | { readonly reason: 'invalid_signature' | 'conflict' }

export type RegisterRefusal = RegistrationRefusal | { readonly reason: 'owner_mismatch' | 'not_yet_valid' }

/** The same as for assertions on the shared verifier, which statements pass through too. */
const STATEMENT_SKEW_MS = 300_000

/** Aliases that an isolate caches: they never change and take about 200 bytes each. */
const MAX_REMEMBERED_ALIASES = 10_000

type IdentityStub = DurableObjectStub<IdentityObject>
/** Keeps work going after the request that began it has ended. */
export type Background = (work: Promise<unknown>) => void

/**
 * A rebuilt object refuses what core may have spent before it was lost: whatever was signed until then, by a clock that may
 * be ahead by core's skew. Siblings accept more, and have clocks of their own.
 */
const SIBLING_AHEAD_MS = SIBLING_SKEW_MS - CORE_SKEW_MS + CLOCKS_MS

/** Calls the object of an identity. */
export class IdentityService {
  readonly #objects: DurableObjectNamespace<IdentityObject>
  readonly #realms: Realms
  /** The DIDs that rotated-in keys would have, and the identities that those keys belong to. */
  readonly #aliases = new Map<string, string>()
  readonly #reads = new SharedReads()

  constructor(objects: DurableObjectNamespace<IdentityObject>, realms: Realms) {
    this.#objects = objects
    this.#realms = realms
  }

  /**
   * Calls the object of the caller. A genesis key and a device name it themselves; for a rotated-in key, the object under
   * the key's own name says where to go, once in the life of an isolate.
   */
  async act<T, E extends { readonly reason: string }>(
    { keyDid }: Pick<VerifiedAssertion, 'keyDid'>,
    work: (identity: IdentityStub) => Promise<Result<T, E | Elsewhere>>,
  ): Promise<Result<T, Exclude<E, Elsewhere> | { readonly reason: 'unknown_key' }>> {
    const first = await this.ask(this.#aliases.get(keyDid) ?? keyDid, work)
    if (first.ok) return first
    const did = elsewhere(first.error)
    if (did === null) return err(first.error as Exclude<E, Elsewhere>)
    this.#remember(keyDid, did)
    const second = await this.ask(did, work)
    if (second.ok) return second
    // An alias never points to an alias.
    return err(elsewhere(second.error) === null ? (second.error as Exclude<E, Elsewhere>) : { reason: 'unknown_key' })
  }

  #remember(keyDid: string, did: string): void {
    if (this.#aliases.size >= MAX_REMEMBERED_ALIASES) this.#aliases.clear()
    this.#aliases.set(keyDid, did)
  }

  /**
   * A public read, made once for all who ask at the same moment. Pass the `background` of the request; without it the
   * read is the caller's own. `name` says what is read of the identity, with every parameter.
   */
  read<T>(
    did: string,
    name: string,
    work: (identity: IdentityStub) => Promise<T>,
    background: Background | undefined,
  ): Promise<T> {
    if (!background) return this.ask(did, work)
    return reaching('identity', () => this.#reads.ask(`${name} ${did}`, () => this.ask(did, work), background))
  }

  /** Calls the object of an identity. Throws a fault if it is unreachable, so the identity never seems unknown. */
  ask<T>(did: string, work: (identity: IdentityStub) => Promise<T>): Promise<T> {
    return reaching('identity', () => work(this.#objects.getByName(did)))
  }

  /** Verified before the object is called: a stranger cannot make it write. */
  async init({ block, commitment: shown }: GenesisRequest, now: number): Promise<Result<GenesisRecord, InitRefusal>> {
    const commitment = shown ?? null
    const detail = genesisFault(block)
    if (detail) return err({ reason: 'not_genesis', detail })
    if (!isCommitmentOf(block, commitment)) {
      return err({
        reason: 'not_genesis',
        detail: 'metadataHash must be SHA3-384 over JCS of `commitment`, with a key in `next`',
      })
    }
    if (block.signature === undefined) return err({ reason: 'invalid_signature' })
    const signed: SignedBlock & GenesisBlock = { ...block, signature: block.signature }
    if (!(await verifyBlockSignature(signed))) return err({ reason: 'invalid_signature' })
    const hash = await blockHashAsync(signed)
    const did = didOf(block.scope)
    const key = { epoch: 0, userId: block.scope, publicKey: bytesOf(block.ownerPublicKey), activatedAt: now }
    const genesis = recordOf(signed, hash, 0)
    const created = await this.ask(did, async (identity) =>
      identity.init({ did, scope: block.scope, key, genesis, commitment }),
    )
    if (!created.ok) return created
    const { createdAt } = created.value
    return ok({ did, scope: block.scope, userId: block.scope, block, commitment, hash, createdAt })
  }

  async genesis(did: string, background?: Background): Promise<GenesisRecord | null> {
    const reading = await this.read(did, 'genesis', async (object) => object.genesis(), background)
    if (!reading) return null
    const { identity, genesis, key, commitment } = reading
    const block = blockOf(genesis, identity.scope, encodeBase64url(key.publicKey)) as GenesisBlock
    return {
      did,
      scope: identity.scope,
      userId: identity.scope,
      block,
      commitment,
      hash: genesis.hash,
      createdAt: identity.createdAt,
    }
  }

  async keyScope(userId: string): Promise<Result<KeyScope, KeyRefusal>> {
    const checked = await this.act({ keyDid: didOf(userId) }, async (identity) => identity.checkKey(userId))
    if (!checked.ok) return checked
    const { did, scope, current } = checked.value
    return ok({ userId, did, scope, epoch: current.epoch, publicKeyB64u: encodeBase64url(current.publicKey) })
  }

  async authority(did: string, background?: Background): Promise<Authority | null> {
    const reading = await this.read(did, 'authority', async (identity) => identity.authority(), background)
    if (!reading) return null
    const { scope, createdAt, current, deactivatedAt } = reading.identity
    const { keyAgreement, registration, previousKeys } = reading
    return {
      did,
      scope,
      epoch: current.epoch,
      publicKeyB64u: encodeBase64url(current.publicKey),
      createdAt,
      updatedAt: Math.max(current.activatedAt, keyAgreement?.acceptedAt ?? 0),
      keyAgreement: keyAgreement?.signed ?? null,
      deactivated: deactivatedAt !== null,
      registration,
      previousKeys: previousKeys.map(({ epoch, userId, publicKey, activatedAt }, i) => ({
        epoch,
        userId,
        publicKeyB64u: encodeBase64url(publicKey),
        activatedAt,
        // Newest first: the event that superseded a key precedes it.
        supersededAt: (previousKeys[i - 1] ?? current).activatedAt,
      })),
    }
  }

  /** The root key of an epoch or of a time; null if there was none. */
  async rootKey(
    did: string,
    wanted: { readonly epoch: number | null; readonly at: number | null },
    background?: Background,
  ): Promise<RootKeyVersion | null> {
    const name = `root-key ${wanted.epoch} ${wanted.at}`
    const reading = await this.read(did, name, async (identity) => identity.rootKey(wanted), background)
    if (!reading) return null
    const { identity, key, supersededAt } = reading
    const { epoch, activatedAt, publicKey } = key
    const { scope, deactivatedAt } = identity
    return { did, scope, epoch, publicKeyB64u: encodeBase64url(publicKey), activatedAt, supersededAt, deactivatedAt }
  }

  /** Registers a DID, with or without a key-agreement statement by the identity's current root key. */
  async register(
    did: string,
    { keyAgreement, services }: Omit<RegisterRequest, 'did'>,
    now: number,
  ): Promise<Result<StandingRegistration, RegisterRefusal>> {
    if (!keyAgreement) return this.ask(did, async (object) => object.register(services, null))
    // Only a newer statement replaces one, so a statement from the future would block every later one.
    if (keyAgreement.statement.issuedAt > now + STATEMENT_SKEW_MS) return err({ reason: 'not_yet_valid' })
    const identity = await this.ask(did, async (object) => object.read())
    if (!identity) return err({ reason: 'not_found' })
    const { statement } = keyAgreement
    if (statement.did !== did || statement.scope !== identity.scope) return err({ reason: 'owner_mismatch' })
    const { publicKey, userId: signerUserId } = identity.current
    if (!(await verifyStatement(keyAgreement, publicKey, this.#realms))) return err({ reason: 'invalid_signature' })
    return this.ask(did, async (object) => object.register(services, { signed: keyAgreement, signerUserId }))
  }

  consumeNonce({
    did,
    subject,
    nonce,
    keepUntil,
  }: ConsumeNonce): Promise<'spent' | 'replay' | 'expired' | 'not_found'> {
    return this.ask(did, async (identity) => identity.consumeNonce(subject, nonce, keepUntil))
  }

  spend(assertion: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>> {
    return this.act(assertion, async (identity) => identity.spend(assertion))
  }

  /** Key scope and nonce in one step, for a service that has verified the signature. */
  spendFor(
    realm: string,
    { userId, device, nonce, keepMs }: SpendAssertion,
    { now, issuedAt }: { readonly now: number; readonly issuedAt: number | undefined },
  ): Promise<Result<Caller, SpendRefusal>> {
    const assertion: VerifiedAssertion = {
      userId,
      keyDid: didOf(device?.scope ?? userId),
      publicKeyB64u: device?.publicKeyB64u ?? '',
      signer: device ? `dev:${device.deviceId}` : userId,
      device,
      // The caller knows what its route requires.
      requiredCapability: 'any',
      nonce,
      keepUntil: now + keepMs,
      ...(issuedAt === undefined ? {} : { issuedAt: issuedAt - SIBLING_AHEAD_MS }),
    }
    return this.act(assertion, async (identity) => identity.spendFor(realm, assertion))
  }

  hold(assertion: VerifiedAssertion): Promise<Result<HoldState, SpendRefusal>> {
    return this.act(assertion, async (identity) => identity.hold(assertion))
  }

  setHold(
    assertion: VerifiedAssertion,
    held: boolean,
  ): Promise<Result<HoldState, SpendRefusal | { reason: 'veto_limit' }>> {
    return this.act(assertion, async (identity) => identity.setHold(assertion, held))
  }

  /** Whether a key is still free to join an identity. Reserves nothing. */
  async isFree(wanted: Alias): Promise<boolean> {
    return (await this.ask(didOf(wanted.userId), async (object) => object.standingOf(wanted))) !== 'taken'
  }

  /** Reserves a key for an identity before that identity's object uses it, so that no two identities ever share one. */
  async reserve(wanted: Alias): Promise<boolean> {
    return (await this.ask(didOf(wanted.userId), async (object) => object.reserve(wanted))) === 'reserved'
  }

  reindex(did: string): Promise<boolean> {
    return this.ask(did, async (identity) => identity.reindex())
  }
}

function elsewhere(error: { readonly reason: string }): string | null {
  return error.reason === 'elsewhere' && 'did' in error && typeof error.did === 'string' ? error.did : null
}
