/**
 * Statements of another realm are refused here, for all operations, with an error that names both realms, so that a
 * wrong configuration is found at once. This decides nothing about signatures; `verifyStatement` compares the realm again.
 *
 * @module
 */
import { type Realms, realmSchema } from '@svc/protocol/base/realm'
import type * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { holds } from '../refusals/schema-parts.ts'

/** Statements nest three levels deep: an event, its acceptance, the statement in it. A batch adds two. */
const MAX_DEPTH = 8
const MAX_REFLECTED_CHARACTERS = 255

/** Whether a body of this schema can contain a statement: only those are searched for one. */
export function carriesStatements(schema: z.ZodType): boolean {
  return holds(schema, (part) => part === realmSchema)
}

/** Throws `wrong_realm` for the first statement in the body that is for another deployment. */
export function requireRealm(body: unknown, accepted: Realms): void {
  const found = foreignRealm(body, accepted, 'body', 0)
  if (!found) return
  const realm = found.realm.slice(0, MAX_REFLECTED_CHARACTERS)
  throw new ApiError('wrong_realm', {
    message: `${found.path}: this statement is for the realm ${realm}; this deployment accepts ${accepted.join(', ')}`,
  })
}

interface Foreign {
  readonly path: string
  readonly realm: string
}

function foreignRealm(value: unknown, accepted: Realms, path: string, depth: number): Foreign | null {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return null
  if (isStatement(value) && !accepted.includes(value.realm)) return { path: `${path}.realm`, realm: value.realm }
  for (const [name, member] of Object.entries(value)) {
    const found = foreignRealm(member, accepted, `${path}.${name}`, depth + 1)
    if (found) return found
  }
  return null
}

function isStatement(value: object): value is { readonly realm: string } {
  const { type, realm } = value as { readonly type?: unknown; readonly realm?: unknown }
  return typeof type === 'string' && type.startsWith('svc/') && typeof realm === 'string'
}
