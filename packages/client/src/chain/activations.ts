import { type RootKeyEvidence, rotationIdOf } from '#protocol/chain/rotation'
import type { InclusionAnswer } from '#protocol/keys/transparency'
import type { SignedLogList } from '#protocol/merkle/log-list'
import type { Transparency } from '../keys/transparency.ts'
import { ServiceError } from '../transport/service-error.ts'
import { unverified, VerificationError } from '../verification/verification-error.ts'
import type { Activated } from './root-keys.ts'

/** Core notifies the directory within seconds of what takes effect, and retries until it succeeds. */
export const LOGGED_WITHIN_MS = 24 * 3_600_000
/** Time until a missing proof is requested again. */
const ASK_AGAIN_MS = 60_000
/** Bounds the memory of a verifier that runs for months. */
const MAX_KEPT = 10_000

/** Log proofs of rotations for offline verification under the keys of the list. */
export interface LoggedRotations {
  readonly list: SignedLogList
  /** Proves the label under which the log has the identity. */
  readonly labelProofB64u: string
  readonly proofs: readonly InclusionAnswer[]
}

type Rotated = Pick<RootKeyEvidence, 'epoch' | 'activatedAt' | 'request'>

/**
 * Checks against the log of the key directory whether the rotations that core shows took effect. Core has a rotation
 * logged once it has taken effect, and never if it was vetoed. If core claims otherwise, the log refutes it.
 */
export class Activations {
  readonly #transparency: () => Promise<Transparency>
  readonly #now: () => number
  /** DID and rotation id. Cached without a time limit, because a log never loses an entry. */
  readonly #proved = new Set<string>()
  readonly #claimed = new Map<string, number>()

  constructor(transparency: () => Promise<Transparency>, now: () => number) {
    this.#transparency = transparency
    this.#now = now
  }

  /**
   * Returns `proved` if the log has the rotation, and `claimed` if it does not or the directory is unavailable. Throws a
   * `VerificationError` if the proof is invalid, or if the log proves that a rotation from more than a day ago never
   * took effect.
   */
  async of(did: string, rotated: Rotated): Promise<Activated> {
    if (!rotated.request) return 'claimed'
    const rotationId = rotationIdOf(rotated.request.statement)
    const id = `${did} ${rotationId}`
    if (this.#proved.has(id)) return 'proved'
    const now = this.#now()
    if (now - (this.#claimed.get(id) ?? -ASK_AGAIN_MS) < ASK_AGAIN_MS) return 'claimed'
    if (await answered(async () => (await this.#transparency()).proveUpdate(did, rotationId))) {
      if (this.#proved.size >= MAX_KEPT) this.#proved.clear()
      this.#proved.add(id)
      this.#claimed.delete(id)
      return 'proved'
    }
    if (now - rotated.activatedAt >= LOGGED_WITHIN_MS) await this.#refuseUnlogged(did, rotationId, rotated)
    if (this.#claimed.size >= MAX_KEPT) this.#claimed.clear()
    this.#claimed.set(id, now)
    return 'claimed'
  }

  /**
   * Reads the log entries of each rotation: its activation and, for a replacement, also its request. Null if the directory
   * says that it has no label for the identity, so nothing can be under it. Throws if the directory is unavailable: only
   * its own response may say that an entry is missing.
   */
  async logged(did: string, evidence: readonly RootKeyEvidence[]): Promise<LoggedRotations | null> {
    const hashes: string[] = []
    for (const { request, replacement } of evidence) {
      if (!request) continue
      const rotationId = rotationIdOf(request.statement)
      if (replacement) hashes.push(await openedHashOf(did, rotationId, replacement.requestedAt))
      hashes.push(rotationId)
    }
    const transparency = await this.#transparency()
    const labelProofB64u = await unlessNotFound(() => transparency.labelProofOf(did))
    if (labelProofB64u === null) return null
    const proofs: InclusionAnswer[] = []
    for (const hash of hashes) {
      const proof = await unlessNotFound(() => transparency.proveUpdate(did, hash, { dated: true }))
      if (proof) proofs.push(proof)
    }
    return { list: await (await transparency.logs()).newest(), labelProofB64u, proofs }
  }

  async #refuseUnlogged(did: string, rotationId: string, { epoch, request }: Rotated): Promise<void> {
    const updates = await answered(async () => (await this.#transparency()).updatesOf(did))
    if (!updates || updates.includes(rotationId)) return
    throw unverified('keys', 'not_activated', `The rotation to the key of epoch ${epoch} never took effect`, {
      where: { epoch },
      evidence: request,
    })
  }
}

async function openedHashOf(did: string, rotationId: string, requestedAt: number): Promise<string> {
  const { openedHash } = await import('#protocol/keys/replacement')
  return openedHash({ did, rotationId, requestedAt })
}

/** Returns null for a 404, which means that the log does not have the update. */
async function unlessNotFound<T>(work: () => Promise<T>): Promise<T | null> {
  return work().catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return null
    throw error
  })
}

/** Returns null if the directory is unavailable or does not have the update. Throws if its response is invalid. */
async function answered<T>(work: () => Promise<T>): Promise<T | null> {
  return work().catch((error: unknown) => {
    if (error instanceof VerificationError) throw error
    return null
  })
}
