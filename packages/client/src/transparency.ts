import { verifyExtension } from '@svc/protocol/checkpoint'
import type { DevicePackage, RevokedPackage } from '@svc/protocol/key-directory'
import {
  auditAnswerSchema,
  checkpointAnswerSchema,
  type DirectoryCheckpoint,
  type DirectoryLeaf,
  type InclusionAnswer,
  inclusionAnswerSchema,
  type SignedCosignature,
  verifyCheckpoint,
  verifyCosignature,
  verifyLeaf,
} from '@svc/protocol/transparency'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

export interface TransparencyOptions {
  /** The directory's key where it is known from elsewhere; else the first one that it shows is held to. */
  readonly expectedKeyB64u?: string | undefined
}

/**
 * The transparency log of the key directory (document 2 section 4.4). Nothing here needs an identity. A log that shows
 * different people different histories is found out when they compare checkpoints, or by a witness whom both know.
 */
export class Transparency {
  readonly #transport: Transport
  readonly #base: string
  #key: string | undefined

  constructor(transport: Transport, keys: string, { expectedKeyB64u }: TransparencyOptions = {}) {
    this.#transport = transport
    this.#base = `${keys}/api/transparency`
    this.#key = expectedKeyB64u
  }

  /** Size and root of the log, with its signature checked. Keep it: a later one must extend it. */
  async checkpoint(): Promise<DirectoryCheckpoint> {
    return (await this.cosigned()).checkpoint
  }

  /** The same with what witnesses have signed, each checked. Whether a witness is one you trust is yours to say. */
  async cosigned(): Promise<{
    readonly checkpoint: DirectoryCheckpoint
    readonly cosignatures: readonly SignedCosignature[]
  }> {
    const answer = await this.#get('checkpoint', checkpointAnswerSchema)
    await this.#believe(answer.checkpoint)
    for (const cosignature of answer.cosignatures) {
      if (!(await verifyCosignature(cosignature))) throw new Error('a cosignature does not hold')
    }
    return answer
  }

  /** The key that signs checkpoints and receipts (1,952 bytes as base64url), as it was first seen or given. */
  async publishedKey(): Promise<string> {
    return this.#key ?? (await this.checkpoint()).publicKeyB64u
  }

  /**
   * That a package or a revocation is in the log: audit path and checkpoint, verified. Throws `ServiceError` `not_found`
   * while it waits for the next batch, about a second after it was published.
   */
  async prove(published: DevicePackage | RevokedPackage): Promise<InclusionAnswer> {
    const leaf = leafOf(published)
    const answer = await this.#get(`proof/${leaf.statementHash}`, inclusionAnswerSchema)
    await this.#believe(answer.checkpoint)
    if (!(await verifyLeaf(leaf, answer, answer.checkpoint.publicKeyB64u))) {
      throw new Error('the proof of inclusion does not hold')
    }
    return answer
  }

  /** The same, asking again until it is there: `attempts` times, a second apart unless told (milliseconds). */
  async waitFor(published: DevicePackage | RevokedPackage, attempts = 10, pauseMs = 1_000): Promise<InclusionAnswer> {
    for (let attempt = 1; ; attempt++) {
      const proved = await this.prove(published).catch((error: unknown) => {
        const isWaiting = error instanceof ServiceError && error.error === 'not_found'
        if (!isWaiting || attempt >= attempts) throw error
        return null
      })
      if (proved) return proved
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  /** Whether the log of a later checkpoint has kept everything of an earlier one, in its order. */
  async extends(earlier: DirectoryCheckpoint, later: DirectoryCheckpoint): Promise<boolean> {
    const [first, second] = [earlier.statement.size, later.statement.size]
    // Nothing to ask for: the empty log is a prefix of every log, and no log of a shorter one.
    if (first === 0 || second < first) return verifyExtension(earlier, later, [])
    const { proof } = await this.#get(`audit/${first}-${second}`, auditAnswerSchema)
    return verifyExtension(earlier, later, proof)
  }

  /** A directory that changes its key is met by a client of its own: a signature by another key is refused. */
  async #believe(checkpoint: DirectoryCheckpoint): Promise<void> {
    const key = this.#key ?? checkpoint.publicKeyB64u
    if (!(await verifyCheckpoint(checkpoint, key))) throw new Error('the checkpoint is not signed by the directory')
    this.#key = key
  }

  #get<S extends Parameters<Transport['data']>[1]>(path: string, schema: S) {
    return this.#transport.data({ method: 'GET', url: `${this.#base}/${path}` }, schema)
  }
}

function leafOf(published: DevicePackage | RevokedPackage): DirectoryLeaf {
  const [kind, { did, deviceId }] =
    'credential' in published
      ? (['credential', published.credential.statement] as const)
      : (['revocation', published.revocation.statement] as const)
  return { kind, did, deviceId, statementHash: published.leafId }
}
