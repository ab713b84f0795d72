import type { Client } from '@svc/client'
import type { SignedCheckpoint } from '@svc/protocol/anchors'
import type { DirectoryCheckpoint } from '@svc/protocol/transparency'
import { type LoadRequest, send } from '../measure/load.ts'
import type { Actor } from './actor.ts'

const LANES = 8

/** What does not hold of what everybody has written. */
export async function faultsOfAll(actors: readonly Actor[]): Promise<string[]> {
  const written = await Promise.all(actors.map((actor) => actor.faults()))
  // Proving reservations may reserve what nobody had heard of.
  const pools = await Promise.all(actors.map(({ pool }) => pool.faults()))
  return [...written, ...pools].flat()
}

/**
 * Sends again what was answered once. Each must be refused because it was used, and not because it is old: core says no
 * more than that it does not take the assertion.
 */
export async function faultsOfReplay(spent: readonly LoadRequest[]): Promise<string[]> {
  const found: string[] = []
  const waiting = [...spent]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { status, body } = await send(next)
      const { error } = JSON.parse(body.toString()) as { error?: unknown }
      const isRefused = status === 401 && (error === 'assertion_replay' || error === 'unauthorized')
      if (!isRefused) found.push(`a spent assertion at ${next.method} ${new URL(next.url).pathname}: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return found
}

/** The two logs as they were seen last. Whatever happens, they only grow. */
export class Logs {
  readonly #anyone: Client | undefined
  #anchors: SignedCheckpoint | undefined
  #directory: DirectoryCheckpoint | undefined

  constructor([first]: readonly Actor[]) {
    this.#anyone = first?.strangers.client
  }

  async faults(): Promise<string[]> {
    if (!this.#anyone) throw new Error('nobody asks')
    const { anchors, transparency } = this.#anyone
    const [newAnchors, newDirectory] = [await anchors.checkpoint(), await transparency.checkpoint()]
    const found: string[] = []
    if (this.#anchors && !(await anchors.extends(this.#anchors, newAnchors))) found.push('log of anchors: it forked')
    if (this.#directory && !(await transparency.extends(this.#directory, newDirectory)))
      found.push('log of the directory: it forked')
    this.#anchors = newAnchors
    this.#directory = newDirectory
    return found
  }
}
