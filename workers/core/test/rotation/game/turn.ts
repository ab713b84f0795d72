/** A player in a state of the game, and what moves are made of. */
import type { Device, Player, Scene, State } from './model.ts'
import type { Rulebook } from './rulebook.ts'

export type Move = readonly [label: string, next: State]

/** Adds a move of the player, by what it changes. */
export type Add = (label: string, changes: Partial<State>) => void

export interface Turn {
  readonly state: State
  readonly player: Player
  readonly scene: Scene
  readonly book: Rulebook
  /** Indices of the player's devices. */
  readonly mine: readonly number[]
}

export const has = (mask: number, i: number) => (mask & (1 << i)) !== 0

export const changed = (devices: readonly Device[], i: number, changes: Partial<Device>) =>
  devices.map((device, k) => (k === i ? { ...device, ...changes } : device))
