/**
 * What the page of an identity reads, all of it verified.
 *
 * @module
 */
import type { Client } from '@svc/client'
import { firstOf } from '../content/first-of.ts'

/** Of anchors, and of declarations. */
export const SHOWN = 10

export const READS = {
  state: (client: Client, did: string) => client.did.resolve(did),
  keys: (client: Client, did: string) => client.keyHistory.of(did),
  rotation: (client: Client, did: string) => client.keyHistory.rotation(did),
  anchors: (client: Client, did: string) => firstOf(client.anchors.all({ owner: did }), SHOWN),
  consent: (client: Client, did: string) => firstOf(client.consent.byCreator(did), SHOWN),
} as const

/** What each of them finds. */
export type OfIdentity = { readonly [Of in keyof typeof READS]: Awaited<ReturnType<(typeof READS)[Of]>> }
