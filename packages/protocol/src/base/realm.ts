/**
 * The realm of a deployment (workers/docs/pages/developer/statements.md): the identifier that every signed statement
 * carries, so that a statement for one deployment is not one for another that the same key uses.
 *
 * It names the deployment and nothing else: it is compared as text and never fetched. By default it is the canonical
 * origin of core.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from './pure.ts'

/** An origin, or a host without its scheme. No trailing slash: the names of logs continue it with one. */
const REALM_PATTERN = /^(https?:\/\/)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$/
const MAX_REALM_CHARACTERS = 255

/** For code that must do without the schema. */
export function isRealm(text: string): boolean {
  return text.length <= MAX_REALM_CHARACTERS && REALM_PATTERN.test(text)
}

export const realmSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .max(MAX_REALM_CHARACTERS)
    .regex(REALM_PATTERN, 'must be an origin in lower case, like https://core.example.com')
    .meta({
      id: 'Realm',
      description: 'The deployment that a statement is for, by default the canonical origin of core',
      example: 'https://core.svc.example',
    }),
)

/** The realms that a deployment accepts. It signs for the first; the others are accepted while it moves. */
export type Realms = readonly [string, ...string[]]

/** A list of realms as configured: at least one, none twice. */
export const realmsSchema = /* @__PURE__ */ pure(() =>
  z
    .tuple([realmSchema], realmSchema)
    .refine((realms) => new Set(realms).size === realms.length, 'must name each realm once'),
)
