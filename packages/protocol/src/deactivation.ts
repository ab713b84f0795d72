/**
 * Deactivation: the root key ends its identity. Terminal, and therefore without a nonce: the same statement again
 * changes nothing. It is not bound to a time either, so an owner may sign one ahead and keep it for an emergency; a
 * rotation makes it void, because the key that signed it is then no longer the root.
 *
 * @module
 */
import * as z from 'zod'
import { didSchema, scopeSchema } from './identity.ts'
import { signedSchema, statementSchema } from './statement.ts'

export const deactivationSchema = statementSchema('svc/did-deactivate/v1', { did: didSchema, scope: scopeSchema }).meta(
  {
    id: 'Deactivation',
    description: 'The root key ends its identity',
  },
)
export const signedDeactivationSchema = signedSchema(deactivationSchema).meta({ id: 'SignedDeactivation' })
export type SignedDeactivation = z.infer<typeof signedDeactivationSchema>

export const deactivatedSchema = z
  .strictObject({ did: didSchema, deactivatedAt: z.number().meta({ description: 'Epoch ms' }) })
  .meta({ id: 'Deactivated' })
export type Deactivated = z.infer<typeof deactivatedSchema>
