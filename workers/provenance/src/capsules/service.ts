import type { Caller } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base/base64url'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import {
  type Capsule,
  type CapsuleKind,
  type CapsuleRecord,
  type CapsuleSignature,
  type CapsuleVerification,
  type ChainBinding,
  capsuleHash,
  MAX_LISTED_CLAIMS,
  type RegisterCapsule,
  type RegisteredCapsule,
} from '@svc/protocol/provenance/capsules'
import type { ProvenancePath } from '@svc/protocol/provenance/path'
import type { ProofBundle } from '@svc/protocol/provenance/proof-bundle'
import type { TakedownList } from '@svc/service'
import { proofOf } from '../proof/rules.ts'
import type { BudgetRefusal, KeptBudget } from '../quota/budget.ts'
import { metered, type Quota, type QuotaRefusal } from '../quota/rules.ts'
import type { KeyStatusService } from '../verification/key-status-service.ts'
import { type BodyStore, type CapsuleBody, packBody } from './body-store.ts'
import type { NewCapsule, StoredCapsule } from './bucket/rows.ts'
import type { TakenDown } from './bucket/transaction.ts'
import type { BindingRefusal, ChainBinder } from './chain-binder.ts'
import { type CapsuleFault, capsuleFault } from './rules.ts'
import type { SignerRefusal, SignerService } from './signer-service.ts'
import type { CapsuleStore } from './store.ts'

export type CapsuleConflict = { readonly reason: 'capsule_exists'; readonly capsuleHash: string }
export type RegisterRefusal =
  | CapsuleFault
  | SignerRefusal
  | CapsuleConflict
  | BindingRefusal
  | QuotaRefusal
  | BudgetRefusal
  | { readonly reason: 'invalid_signature' | 'binding_off' }
  | TakenDown

export interface CapsuleParts {
  readonly store: CapsuleStore
  readonly bodies: BodyStore
  readonly signers: SignerService
  readonly keys: KeyStatusService
  readonly quota: Quota
  readonly budget: KeptBudget
  readonly takedowns: TakedownList
  /** Null if registration does not append to chains. */
  readonly binder: ChainBinder | null
  readonly realms: Realms
}

interface Found {
  readonly stored: StoredCapsule
  readonly body: CapsuleBody
}

/** A device is one by an event of the log, so its capsule names that one or a later one. */
const UNPLACED: CapsuleFault = {
  reason: 'malformed',
  detail: 'capsule.inception: must name an event, because a device signed the capsule',
}

/** Registers capsules and reads them. Every registration was signed by its signer and cost its owner one unit of quota. */
export class CapsuleService {
  readonly #parts: CapsuleParts

  constructor(parts: CapsuleParts) {
    this.#parts = parts
  }

  async register(
    caller: Caller,
    kind: CapsuleKind,
    request: RegisterCapsule,
    now: number,
  ): Promise<Result<RegisteredCapsule, RegisterRefusal>> {
    const { store, signers, binder, takedowns } = this.#parts
    const { capsule, signature, block } = request
    const hash = capsuleHash(capsule)
    const fault = capsuleFault(request, { did: caller.did, kind, hash }, now)
    if (fault) return err(fault)
    if (block && !binder) return err({ reason: 'binding_off' })
    const signer = await signers.signerOf(caller, signature.publicKeyB64u, now)
    if (!signer.ok) return signer
    if (signer.value.kind === 'device' && capsule.inception === null) return err(UNPLACED)
    if (!(await this.#isSigned(capsule, signature))) return err({ reason: 'invalid_signature' })
    const before = await store.find(capsule.assetId, caller.did)
    if (before) return repeated(before, hash)
    const why = await takedowns.reasonFor(capsule.assetId)
    if (why !== null) return err({ reason: 'taken_down', why })
    return this.#enter({ capsule, signature, signer: signer.value, block: block ?? null }, hash, now)
  }

  /** One unit per asset and owner, whichever of the owner's capsules is completed. */
  async #enter(body: CapsuleBody, hash: string, now: number): Promise<Result<RegisteredCapsule, RegisterRefusal>> {
    const { store, bodies, quota } = this.#parts
    const { assetId, did, kind } = body.capsule
    const packed = await packBody(body)
    const entry: NewCapsule = { assetId, did, kind, capsuleHash: hash, bodyKey: packed.key }
    let chain: ChainBinding | null = null
    let left: 'nothing' | 'room' | 'room and body' = 'nothing'
    try {
      const registered = await metered<StoredCapsule | null, BindingRefusal | BudgetRefusal | TakenDown>(
        quota,
        { did, key: `capsule:${assetId}` },
        {
          prepare: async () => {
            left = 'room and body'
            const admitted = await this.#admit(entry, now)
            if (!admitted.ok) return admitted
            if (!admitted.value) return ok(undefined)
            // If this fails, the body may still arrive.
            left = 'room'
            await bodies.put(packed)
            left = 'room and body'
            const bound = await this.#bind(body)
            if (!bound.ok) return bound
            chain = bound.value
            return ok(undefined)
          },
          complete: async () => {
            // In doubt it may have been completed.
            left = 'nothing'
            const completed = await store.complete(entry, chain, Date.now())
            // The bucket has condemned the body of one that it did not complete.
            if (!completed.ok || completed.value === null) left = 'room'
            return completed
          },
        },
      )
      if (!registered.ok) return registered
      if (registered.value) return ok(answerOf(registered.value, false))
    } finally {
      await this.#clear(entry, left)
    }
    // Another call won: with this capsule, or with another one of the same owner.
    const first = await store.find(assetId, did)
    return first ? repeated(first, hash) : err({ reason: 'unavailable', detail: 'capsules' })
  }

  #clear(entry: NewCapsule, left: 'nothing' | 'room' | 'room and body'): Promise<void> | undefined {
    const { store } = this.#parts
    if (left === 'room and body') return store.discard(entry, Date.now())
    return left === 'room' ? store.release(entry) : undefined
  }

  async #admit(entry: NewCapsule, now: number): Promise<Result<boolean, BudgetRefusal | TakenDown>> {
    const { store, budget } = this.#parts
    const room = await budget.within(entry.did, 'capsules', (limit) => store.reserve(entry, limit, now))
    return room.ok ? store.admit(entry, now) : room
  }

  async #bind({ block, capsule }: CapsuleBody): Promise<Result<ChainBinding | null, BindingRefusal>> {
    const { binder } = this.#parts
    return block && binder ? binder.append(capsule.did, block) : ok(null)
  }

  /** Deletes the owner's registration and its vectors. False if there is none. */
  remove(assetId: string, did: string, now: number): Promise<boolean> {
    return this.#parts.store.remove(assetId, did, now)
  }

  /** Whether this registration still is there. */
  async isThere({ assetId, did, position }: Pick<RegisteredCapsule, 'assetId' | 'did' | 'position'>): Promise<boolean> {
    return (await this.#parts.store.find(assetId, did))?.position === position
  }

  /** The earliest registration of an asset, or the one by `did`; null if there is none. */
  async read(assetId: string, did: string | undefined): Promise<CapsuleRecord | null> {
    return (await this.#record(assetId, did))?.record ?? null
  }

  /** The evidence for a registration, and what is missing from it. */
  async proof(assetId: string, did: string | undefined, now: number): Promise<ProofBundle | null> {
    const found = await this.#record(assetId, did)
    if (!found) return null
    const { record, block } = found
    const status = await this.#parts.keys.statusOf(record.signature.publicKeyB64u, now)
    return proofOf({ record, block, keyStatus: status.ok ? status.value : null }, now)
  }

  /** The block that binds a registration to its owner's chain; null if it is not bound. */
  async path(assetId: string, did: string | undefined): Promise<ProvenancePath | null> {
    const found = await this.#find(assetId, did)
    return found && pathOf(found.stored, found.body)
  }

  /** Verifies the signature again and uses nothing that was found at registration. */
  async verify(assetId: string, did: string | undefined, now: number): Promise<CapsuleVerification | null> {
    const found = await this.#find(assetId, did)
    if (!found) return null
    const { stored, body } = found
    const { capsule, signature, signer } = body
    const status = await this.#parts.keys.statusOf(signature.publicKeyB64u, now)
    return {
      ...registrationOf(stored),
      valid: capsuleHash(capsule) === stored.capsuleHash && (await this.#isSigned(capsule, signature)),
      publicKeyB64u: signature.publicKeyB64u,
      signer,
      keyStatus: status.ok ? status.value : null,
    }
  }

  #isSigned(capsule: Capsule, { publicKeyB64u, signatureB64u }: CapsuleSignature): Promise<boolean> {
    return verifyStatement({ statement: capsule, signatureB64u }, bytesOf(publicKeyB64u), this.#parts.realms)
  }

  async #record(
    assetId: string,
    did: string | undefined,
  ): Promise<{ readonly record: CapsuleRecord; readonly block: CapsuleBody['block'] } | null> {
    const { store } = this.#parts
    const found = await store.claimed(assetId, did, MAX_LISTED_CLAIMS)
    if (!found) return null
    const { stored, claims, count } = found
    const body = await this.#bodyOf(stored)
    if (!body) return null
    const { block, ...signed } = body
    return {
      record: { ...registrationOf(stored), ...signed, chain: stored.chain, claims, claimCount: count },
      block,
    }
  }

  async #find(assetId: string, did: string | undefined): Promise<Found | null> {
    const stored = await this.#parts.store.find(assetId, did)
    const body = stored && (await this.#bodyOf(stored))
    return body && { stored, body }
  }

  /** Null if the registration was deleted meanwhile. */
  async #bodyOf(stored: StoredCapsule): Promise<CapsuleBody | null> {
    const { store, bodies } = this.#parts
    try {
      return await bodies.get(stored.bodyKey)
    } catch (fault) {
      const again = await store.find(stored.assetId, stored.did)
      if (again?.bodyKey === stored.bodyKey) throw fault
      return null
    }
  }
}

/** Repeating a capsule returns its registration; another capsule of the same asset changes nothing. */
function repeated(stored: StoredCapsule, hash: string): Result<RegisteredCapsule, CapsuleConflict> {
  if (stored.capsuleHash !== hash) return err({ reason: 'capsule_exists', capsuleHash: stored.capsuleHash })
  return ok(answerOf(stored, true))
}

function registrationOf({ assetId, did, kind, capsuleHash: hash, position, registeredAt }: StoredCapsule) {
  return { assetId, did, kind, capsuleHash: hash, position, registeredAt }
}

function answerOf(stored: StoredCapsule, duplicate: boolean): RegisteredCapsule {
  return { ...registrationOf(stored), duplicate, chain: stored.chain }
}

/** The steps from the capsule to the DID, as far as the registration's block reaches. */
function pathOf(stored: StoredCapsule, { capsule, block }: CapsuleBody): ProvenancePath | null {
  const { assetId, did, capsuleHash: hash, position, registeredAt, chain } = stored
  if (!chain || !block) return null
  const { scope, epoch } = block
  return { assetId, did, capsuleHash: hash, position, registeredAt, chain, capsule, block, scope, epoch, steps: STEPS }
}

const STEPS: ProvenancePath['steps'] = [
  { step: 'capsule_hash', says: 'SHA3-384 over the JCS bytes of the capsule is capsuleHash' },
  { step: 'block_data', says: 'The block carries capsuleHash as dataHash' },
  { step: 'block_hash', says: 'The block hashes to chain.hash at chain.index; that core accepted it is core’s word' },
  { step: 'block_signature', says: 'ownerPublicKey has signed the block' },
  { step: 'key_of_did', says: 'The DID is derived from ownerPublicKey at epoch 0; later, the key history leads to it' },
]
