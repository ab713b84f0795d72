import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import { blockHash, type GenesisBlock, genesisFault, type SignedBlock, verifyBlockSignature } from '@svc/protocol/chain'
import type { GenesisRecord, RootAnswer } from '@svc/protocol/chain-api'
import type { Deactivated, SignedDeactivation } from '@svc/protocol/deactivation'
import { reaching } from '@svc/protocol/dependency-fault'
import { didOf } from '@svc/protocol/identity'
import type { Authority, ConsumeNonce, KeyScope } from '@svc/protocol/internal'
import type { SignedKeyAgreement } from '@svc/protocol/key-agreement'
import { err, ok, type Result } from '@svc/protocol/result'
import type { HoldState } from '@svc/protocol/security'
import { verifyStatement } from '@svc/protocol/statement'
import { blockOf, recordOf } from '../chain/chain-record.ts'
import type { IdentityRecord, KeyRefusal } from './identity.ts'
import type { IdentityObject } from './identity-object.ts'

export type InitRefusal =
  | { readonly reason: 'not_genesis'; readonly detail: string }
  | { readonly reason: 'invalid_signature' | 'conflict' }

export type KeyAgreementRefusal = {
  readonly reason: 'not_found' | 'stale' | 'owner_mismatch' | 'invalid_signature' | 'not_yet_valid'
}

/** As for assertions on the shared verifier, through which statements come. */
const STATEMENT_SKEW_MS = 300_000

/** Reaches the object of an identity. */
export class IdentityService {
  readonly #objects: DurableObjectNamespace<IdentityObject>

  constructor(objects: DurableObjectNamespace<IdentityObject>) {
    this.#objects = objects
  }

  /** Calls the object of an identity; one that cannot be reached is a fault and never an unknown identity. */
  ask<T>(did: string, work: (identity: DurableObjectStub<IdentityObject>) => Promise<T>): Promise<T> {
    return reaching('identity', () => work(this.#objects.getByName(did)))
  }

  /** Verified before the object is touched: a stranger cannot make it write. */
  async init(block: GenesisBlock, now: number): Promise<Result<GenesisRecord, InitRefusal>> {
    const detail = genesisFault(block)
    if (detail) return err({ reason: 'not_genesis', detail })
    if (block.signature === undefined) return err({ reason: 'invalid_signature' })
    const signed: SignedBlock & GenesisBlock = { ...block, signature: block.signature }
    if (!(await verifyBlockSignature(signed))) return err({ reason: 'invalid_signature' })
    const hash = blockHash(signed)
    const did = didOf(block.scope)
    const key = { epoch: 0, userId: block.scope, publicKey: bytesOf(block.ownerPublicKey), activatedAt: now }
    const created = await this.ask(did, async (identity) =>
      identity.init(did, block.scope, key, recordOf(signed, hash, 0)),
    )
    if (!created.ok) return created
    return ok({ did, scope: block.scope, userId: block.scope, block, hash, createdAt: created.value.createdAt })
  }

  async genesis(did: string): Promise<GenesisRecord | null> {
    const reading = await this.ask(did, async (object) => object.genesis())
    if (!reading) return null
    const { identity, genesis } = reading
    // Epoch 0 is the only key so far, so the current key is the one that signed block "0".
    const block = blockOf(genesis, identity.scope, encodeBase64url(identity.current.publicKey)) as GenesisBlock
    return {
      did,
      scope: identity.scope,
      userId: identity.scope,
      block,
      hash: genesis.hash,
      createdAt: identity.createdAt,
    }
  }

  async root(did: string): Promise<RootAnswer | null> {
    const identity = await this.ask(did, async (object) => object.read())
    return identity && rootOf(identity)
  }

  async keyScope(userId: string): Promise<Result<KeyScope, KeyRefusal>> {
    const checked = await this.ask(didOf(userId), async (identity) => identity.checkKey(userId))
    if (!checked.ok) return checked
    const { did, scope, current } = checked.value
    return ok({ userId, did, scope, epoch: current.epoch, publicKeyB64u: encodeBase64url(current.publicKey) })
  }

  async authority(did: string): Promise<Authority | null> {
    const [record, agreement] = await this.ask(did, async (identity) =>
      Promise.all([identity.read(), identity.keyAgreement()]),
    )
    if (!record) return null
    const { scope, userId: _, publicKeyB64u, epoch } = rootOf(record)
    const { createdAt, current } = record
    const updatedAt = Math.max(current.activatedAt, agreement?.acceptedAt ?? 0)
    return {
      did,
      scope,
      epoch,
      publicKeyB64u,
      createdAt,
      updatedAt,
      keyAgreement: agreement?.signed ?? null,
      deactivated: record.deactivatedAt !== null,
    }
  }

  /** Takes a key-agreement statement that the identity's current root key has signed. */
  async putKeyAgreement(
    did: string,
    signed: SignedKeyAgreement,
    now: number,
  ): Promise<Result<void, KeyAgreementRefusal>> {
    // Only a newer statement replaces one, so a statement from the future would bar every later one.
    if (signed.statement.issuedAt > now + STATEMENT_SKEW_MS) return err({ reason: 'not_yet_valid' })
    const identity = await this.ask(did, async (object) => object.read())
    if (!identity) return err({ reason: 'not_found' })
    if (signed.statement.did !== did || signed.statement.scope !== identity.scope)
      return err({ reason: 'owner_mismatch' })
    if (!(await verifyStatement(signed, identity.current.publicKey))) return err({ reason: 'invalid_signature' })
    return this.ask(did, async (object) => object.putKeyAgreement(signed))
  }

  /** Takes a deactivation that the identity's current root key has signed. */
  async deactivate(
    signed: SignedDeactivation,
  ): Promise<Result<Deactivated, { reason: 'not_found' | 'owner_mismatch' | 'invalid_signature' | 'superseded' }>> {
    const { did, scope } = signed.statement
    const identity = await this.ask(did, async (object) => object.read())
    if (!identity) return err({ reason: 'not_found' })
    if (identity.scope !== scope) return err({ reason: 'owner_mismatch' })
    if (!(await verifyStatement(signed, identity.current.publicKey))) return err({ reason: 'invalid_signature' })
    const ended = await this.ask(did, async (object) => object.deactivate(signed, identity.current.userId))
    // Another key became the root between the two calls: the statement is void.
    return ended.ok ? ok({ did, deactivatedAt: ended.value }) : err({ reason: 'superseded' })
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
    return this.ask(assertion.keyDid, async (identity) => identity.spend(assertion))
  }

  hold(assertion: VerifiedAssertion): Promise<Result<HoldState, SpendRefusal>> {
    return this.ask(assertion.keyDid, async (identity) => identity.hold(assertion))
  }

  setHold(assertion: VerifiedAssertion, held: boolean): Promise<Result<HoldState, SpendRefusal>> {
    return this.ask(assertion.keyDid, async (identity) => identity.setHold(assertion, held))
  }

  reindex(did: string): Promise<boolean> {
    return this.ask(did, async (identity) => identity.reindex())
  }
}

function rootOf({ did, scope, current, deactivatedAt }: IdentityRecord): RootAnswer {
  return {
    did,
    scope,
    userId: current.userId,
    publicKeyB64u: encodeBase64url(current.publicKey),
    epoch: current.epoch,
    deactivated: deactivatedAt !== null,
  }
}
