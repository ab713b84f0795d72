import { unpackVector } from '@svc/fingerprint'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import * as z from 'zod'
import {
  type IndexedSet,
  type NearestOptions,
  type Neighbour,
  nearestOfEach,
  type Presence,
  unpacked,
  type VectorIndex,
} from './vector-index.ts'

const UPSERT_LIMIT = 1_000
/** The most of a query without values and metadata. */
const TOP_K = 100
/** A Worker has six connections at a time; more calls would only queue. */
const AT_ONCE = 6
/** The most ids of one look-up. */
const LOOKED_UP = 20
/** Vectors of one index. */
export const MAX_VECTORS = 10_000_000
/** The count that the index tells lags by seconds, and registrations that were admitted are under way. */
export const UNDER_WAY = 100_000
/** How far off an estimated distance may be. */
const SLACK = 8

/** The generated types still have the form of older indexes. */
const infoSchema = z.object({ vectorCount: z.int() })

/** The part of the binding that is used. */
export interface VectorizeBinding {
  upsert(vectors: { id: string; values: number[] }[]): Promise<unknown>
  deleteByIds(ids: string[]): Promise<unknown>
  getByIds(ids: string[]): Promise<{ id: string }[]>
  describe(): Promise<unknown>
  query(values: number[], options: { topK: number }): Promise<{ matches: { id: string; score: number }[] }>
}

/**
 * Vectorize with the cosine metric, which for vectors of 1 and -1 is exactly 1 - distance / 128. Writes become visible
 * after some seconds, and one that was accepted may still fail. Search is approximate: it may miss a neighbour, and
 * distances are slightly off.
 */
export class VectorizeIndex implements VectorIndex {
  readonly #index: VectorizeBinding

  constructor(index: VectorizeBinding) {
    this.#index = index
  }

  async put(set: number, vectors: Uint8Array): Promise<Result<void, { readonly reason: 'full' }>> {
    const rows = unpacked(vectors).map((vector, place) => ({ id: `${set}:${place}`, values: unpackVector(vector) }))
    if ((await this.#count()) + rows.length > MAX_VECTORS) return err({ reason: 'full' })
    for (let i = 0; i < rows.length; i += UPSERT_LIMIT)
      await reaching('vector index', () => this.#index.upsert(rows.slice(i, i + UPSERT_LIMIT)))
    return ok(undefined)
  }

  async nearest(queries: Uint8Array, { topK, maxDistance }: NearestOptions): Promise<Neighbour[][]> {
    const vectors = unpacked(queries)
    const found: Neighbour[][] = []
    for (let i = 0; i < vectors.length; i += AT_ONCE) {
      const batch = vectors.slice(i, i + AT_ONCE).map((vector) => this.#query(unpackVector(vector)))
      found.push(...(await Promise.all(batch)))
    }
    return found.map((neighbours) =>
      nearestOfEach(neighbours.filter(({ distance }) => distance <= maxDistance + SLACK)).slice(0, topK),
    )
  }

  async remove(sets: readonly IndexedSet[]): Promise<void> {
    const ids = sets.flatMap(({ set, vectors }) => Array.from({ length: vectors }, (_, place) => `${set}:${place}`))
    for (let i = 0; i < ids.length; i += UPSERT_LIMIT)
      await reaching('vector index', () => this.#index.deleteByIds(ids.slice(i, i + UPSERT_LIMIT)))
  }

  /** By a sample of the set from its first to its last vector, several of each batch. */
  async presence({ set, vectors }: IndexedSet): Promise<Presence> {
    const places = Array.from({ length: LOOKED_UP }, (_, i) => Math.round((i * (vectors - 1)) / (LOOKED_UP - 1)))
    const ids = [...new Set(places)].map((place) => `${set}:${place}`)
    const found = await reaching('vector index', () => this.#index.getByIds(ids))
    if (found.length === 0) return 'none'
    return found.length === ids.length ? 'whole' : 'part'
  }

  async room(): Promise<number> {
    return Math.max(0, MAX_VECTORS - UNDER_WAY - (await this.#count()))
  }

  async isThere(): Promise<boolean> {
    return (await this.room()) > 0
  }

  #count(): Promise<number> {
    return reaching('vector index', async () => infoSchema.parse(await this.#index.describe()).vectorCount)
  }

  async #query(values: number[]): Promise<Neighbour[]> {
    const { matches } = await reaching('vector index', () => this.#index.query(values, { topK: TOP_K }))
    return matches.flatMap(({ id, score }) => {
      const [, set, place] = /^([0-9]{1,15}):([0-9]{1,15})$/.exec(id) ?? []
      if (set === undefined || place === undefined) return []
      return [{ set: Number(set), place: Number(place), distance: Math.round((1 - score) * 128) }]
    })
  }
}
