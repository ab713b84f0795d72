import { verifyExtension } from '@svc/protocol/checkpoint'
import { fromHex, toHex } from '@svc/protocol/hash'
import { frontierNames, MerkleLog, type MerkleNode } from '@svc/protocol/merkle-log'
import { err, ok, type Result } from '@svc/protocol/result'
import {
  auditAnswerSchema,
  checkpointAnswerSchema,
  type DirectoryCheckpoint,
  type DirectoryLeaf,
  directoryLeafHash,
  entriesAnswerSchema,
  inclusionAnswerSchema,
  leafEntry,
  signedDirectoryCheckpointSchema,
  verifyCheckpoint,
  verifyLeaf,
} from '@svc/protocol/transparency'
import * as z from 'zod'
import { ServiceError } from './service-error.ts'
import type { Transport } from './transport.ts'

const BUNDLE = 256

/** What an auditor keeps between two visits: where it was, and the roots of the complete subtrees up to there. */
export const auditStateSchema = z.strictObject({
  checkpoint: signedDirectoryCheckpointSchema,
  frontier: z.array(z.strictObject({ level: z.int(), index: z.int(), hash: z.string() })),
})
export type AuditState = z.infer<typeof auditStateSchema>

export type AuditFault = {
  readonly reason:
    | 'invalid_signature'
    | 'other_log'
    | 'shrunk'
    | 'fork'
    | 'rewritten'
    | 'missing_leaf'
    | 'repeated_leaf'
}

export interface AuditReport {
  readonly state: AuditState
  /** Every leaf that is new since the last visit, in its order. */
  readonly leaves: readonly DirectoryLeaf[]
}

/**
 * Follows the log of a key directory from outside and believes nothing: it computes the tree again from the entries. A
 * fault is for good; whoever finds one keeps both checkpoints, which are signed.
 */
export class LogAuditor {
  readonly #transport: Transport
  readonly #base: string
  readonly #expectedKeyB64u: string

  /** `expectedKeyB64u` is the directory's key (1,952 bytes as base64url), known from elsewhere. */
  constructor(transport: Transport, keys: string, expectedKeyB64u: string) {
    this.#transport = transport
    this.#base = `${keys}/api/transparency`
    this.#expectedKeyB64u = expectedKeyB64u
  }

  /** From an earlier visit, or the beginning, to the log as it is. */
  async follow(from: AuditState | null): Promise<Result<AuditReport, AuditFault>> {
    const { checkpoint } = await this.#get('checkpoint', checkpointAnswerSchema)
    if (!(await verifyCheckpoint(checkpoint, this.#expectedKeyB64u))) return err({ reason: 'invalid_signature' })
    const { log, size, root } = checkpoint.statement
    const earlier = from?.checkpoint.statement ?? { log, size: 0, root: '' }
    if (earlier.log !== log) return err({ reason: 'other_log' })
    if (size < earlier.size) return err({ reason: 'shrunk' })
    if (from && !(await this.#extends(from.checkpoint, checkpoint))) return err({ reason: 'fork' })

    const nodes = new Map((from?.frontier ?? []).map((node) => [nameOf(node), fromHex(node.hash)]))
    const tree = new MerkleLog((level, index) => nodes.get(nameOf({ level, index })) ?? new Uint8Array())
    const leaves: DirectoryLeaf[] = []
    for (let at = earlier.size; at < size; ) {
      const found = await this.#entriesFrom(at, size)
      if (found.length === 0) return err({ reason: 'missing_leaf' })
      for (const leaf of found) {
        for (const node of tree.append(at, directoryLeafHash(leafEntry(leaf)))) nodes.set(nameOf(node), node.hash)
        leaves.push(leaf)
        at += 1
      }
      keepFrontier(nodes, at)
    }
    if (toHex(tree.root(size)) !== root) return err({ reason: 'rewritten' })
    // A statement is a leaf once: a log that repeats one is padding its history.
    if (new Set(leaves.map(({ statementHash }) => statementHash)).size !== leaves.length) {
      return err({ reason: 'repeated_leaf' })
    }
    return ok({ state: { checkpoint, frontier: frontierOf(nodes, size) }, leaves })
  }

  /** That a leaf, named by its `leafId`, is in the log: index and path lead to the entry, and the entry is of that id. */
  async find(leafId: string): Promise<Result<DirectoryLeaf, AuditFault>> {
    const answer = await this.#get(`proof/${leafId}`, inclusionAnswerSchema).catch((error: unknown) => {
      if (error instanceof ServiceError && error.error === 'not_found') return null
      throw error
    })
    if (!answer) return err({ reason: 'missing_leaf' })
    const [leaf] = await this.#entriesFrom(answer.index, answer.index + 1)
    if (leaf?.statementHash !== leafId) return err({ reason: 'missing_leaf' })
    return (await verifyLeaf(leaf, answer, this.#expectedKeyB64u)) ? ok(leaf) : err({ reason: 'rewritten' })
  }

  async #extends(earlier: DirectoryCheckpoint, later: DirectoryCheckpoint): Promise<boolean> {
    const [first, second] = [earlier.statement.size, later.statement.size]
    if (first === 0 || first === second) return verifyExtension(earlier, later, [])
    const { proof } = await this.#get(`audit/${first}-${second}`, auditAnswerSchema)
    return verifyExtension(earlier, later, proof)
  }

  /** What the bundle of an index holds from there on, up to `end`; the log may have grown meanwhile. */
  async #entriesFrom(index: number, end: number): Promise<DirectoryLeaf[]> {
    const bundle = Math.floor(index / BUNDLE)
    const { from, entries } = await this.#get(`entries/${bundle}`, entriesAnswerSchema)
    return from === bundle * BUNDLE ? entries.slice(index - from, end - from) : []
  }

  #get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#transport.data({ method: 'GET', url: `${this.#base}/${path}` }, schema)
  }
}

const nameOf = ({ level, index }: Pick<MerkleNode, 'level' | 'index'>) => `${level}/${index}`

function frontierOf(nodes: ReadonlyMap<string, Uint8Array>, size: number): AuditState['frontier'] {
  return frontierNames(size).flatMap((name) => {
    const hash = nodes.get(nameOf(name))
    return hash ? [{ ...name, hash: toHex(hash) }] : []
  })
}

function keepFrontier(nodes: Map<string, Uint8Array>, size: number): void {
  const kept = new Set(frontierNames(size).map(nameOf))
  for (const name of nodes.keys()) if (!kept.has(name)) nodes.delete(name)
}
