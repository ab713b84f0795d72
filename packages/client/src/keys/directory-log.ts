import { fromHex } from '#protocol/base/hash'
import { type SignedCosignature, verifyCosignature } from '#protocol/keys/cosignature'
import { auditAnswerSchema, checkpointAnswerSchema, type DirectoryCheckpoint } from '#protocol/keys/transparency'
import { verifyExtension } from '#protocol/merkle/in-log'
import type { ListedLog } from '#protocol/merkle/log-list'
import { verifyConsistency } from '#protocol/merkle/tree'
import type { TrustedLogs } from '../logs/trusted-logs.ts'
import { believeCheckpoint } from '../memory/checkpoint-log.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import { acceptAge } from '../mirrors/from-mirror.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'

export interface Cosigned {
  readonly checkpoint: DirectoryCheckpoint
  readonly cosignatures: readonly SignedCosignature[]
}

/** The checkpoints of the directory's logs: those that this client believes, because each extends what it has seen. */
export class DirectoryLog {
  readonly trusted: TrustedLogs
  readonly #transport: Transport
  readonly #base: string
  readonly #memory: KnownLogs
  readonly #agreed: (log: string) => Promise<void>

  /** `agreed` rejects if too few of the client's witnesses have cosigned a log. */
  constructor(
    transport: Transport,
    base: string,
    known: {
      readonly trusted: TrustedLogs
      readonly memory: KnownLogs
      readonly agreed: (log: string) => Promise<void>
    },
  ) {
    this.#transport = transport
    this.#base = base
    this.trusted = known.trusted
    this.#memory = known.memory
    this.#agreed = known.agreed
  }

  /** The checkpoint of a log with its verified cosignatures. Applies no witness policy. */
  async cosigned(log: string | undefined): Promise<Cosigned> {
    const answer = await this.get(`checkpoint${ofLog(log)}`, checkpointAnswerSchema)
    await this.#follow(answer.checkpoint, log)
    for (const cosignature of answer.cosignatures) {
      if (!(await verifyCosignature(cosignature, this.#transport.realms)))
        throw unverified('transparency', 'invalid_signature', 'A cosignature is invalid', {
          where: { member: 'cosignatures' },
          evidence: cosignature,
        })
    }
    return answer
  }

  /**
   * Rejects a checkpoint if its log is not listed or not the requested one, if it does not extend what this client has
   * seen, or if too few witnesses have cosigned the log. The final checkpoint of a closed log is in the signed list.
   */
  async believe(checkpoint: DirectoryCheckpoint, log?: string): Promise<void> {
    const { log: name, final } = await this.#follow(checkpoint, log)
    if (final === null) await this.#agreed(name)
  }

  async #follow(checkpoint: DirectoryCheckpoint, log?: string): Promise<ListedLog> {
    const listed = await this.trusted.verify(checkpoint)
    const isOther = log === undefined ? listed.series !== 'transparency' : listed.log !== log
    if (isOther)
      throw unverified('transparency', 'wrong_log', 'The checkpoint is of another log', {
        where: { log: listed.log },
        evidence: checkpoint,
      })
    acceptAge(checkpoint, checkpoint.statement.issuedAt, this.#transport.now(), listed.final !== null)
    await believeCheckpoint(checkpoint, {
      memory: this.#memory,
      name: { kind: 'transparency', of: listed.log },
      isExtension: (earlier, later) => this.extends(earlier, later),
      now: this.#transport.now(),
    })
    return listed
  }

  /** Whether the log at a later checkpoint contains everything of an earlier one, in order. */
  async extends(earlier: DirectoryCheckpoint, later: DirectoryCheckpoint): Promise<boolean> {
    const { publicKeyB64u } = await this.trusted.verify(later)
    const [first, second] = [earlier.statement.size, later.statement.size]
    // No proof needed: the empty log is a prefix of every log, and a longer log of none.
    if (first === 0 || second < first) return verifyExtension(earlier, later, [], publicKeyB64u)
    const { log } = later.statement
    const { proof } = await this.get(`audit/${first}-${second}${ofLog(log)}`, auditAnswerSchema)
    return verifyExtension(earlier, later, proof, publicKeyB64u)
  }

  /** Whether what a witness has cosigned is a prefix of the log at a checkpoint. */
  async isPrefix(
    { log, size, root }: SignedCosignature['statement'],
    { statement }: DirectoryCheckpoint,
  ): Promise<boolean> {
    if (size > statement.size) return false
    const path = `audit/${size}-${statement.size}${ofLog(log)}`
    const proof = size === statement.size ? [] : (await this.get(path, auditAnswerSchema)).proof
    return verifyConsistency(size, fromHex(root), statement.size, fromHex(statement.root), proof.map(fromHex))
  }

  get<S extends Parameters<Transport['data']>[1]>(path: string, schema: S, isMirrored = true) {
    return this.#transport.data({ method: 'GET', url: `${this.#base}/${path}`, isMirrored }, schema)
  }
}

const ofLog = (log: string | undefined) => (log === undefined ? '' : `?log=${encodeURIComponent(log)}`)
