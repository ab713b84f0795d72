/**
 * Registration of a `did:svc` for resolution (document 2 section 2.3): the services that its document names, and the
 * key that others encrypt to. It is kept with the identity, at core.
 *
 * @module
 */
import * as z from 'zod'
import { didSchema } from './identity.ts'
import { signedKeyAgreementSchema } from './key-agreement.ts'

/** A URI of a service endpoint: absolute, https or http or did or mailto, no white space. */
const endpointSchema = z
  .string()
  .max(2048)
  .regex(/^(?:https?:\/\/|did:|mailto:)[^\s"<>\\^`{|}]+$/, 'must be an absolute http, https, did or mailto URI')
  .refine((text) => /^[!-~]+$/.test(text) && URL.canParse(text), 'must be a URI')
export const didServiceSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^#[A-Za-z0-9._~-]{1,64}$/, 'must be # and 1 to 64 unreserved characters')
      // The document's key ids start so, and two things of one id would make a reference to either ambiguous.
      .refine((id) => !/^#(?:root|kem)-/.test(id), 'must not start with #root- or #kem-'),
    type: z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/, 'must be 1 to 64 letters and digits'),
    serviceEndpoint: endpointSchema,
  })
  .meta({ id: 'DidService', description: 'One service of a DID document; `id` is relative to the DID' })
export type DidService = z.infer<typeof didServiceSchema>

export const MAX_SERVICES = 16
const servicesSchema = z
  .array(didServiceSchema)
  .max(MAX_SERVICES)
  .refine((services) => new Set(services.map(({ id }) => id)).size === services.length, 'ids must differ')

export const registerRequestSchema = z
  .strictObject({
    did: didSchema,
    keyAgreement: signedKeyAgreementSchema.optional(),
    services: servicesSchema.optional(),
  })
  .meta({ id: 'RegisterRequest' })
export type RegisterRequest = z.infer<typeof registerRequestSchema>

export const registrationSchema = z
  .strictObject({ did: didSchema, registeredAt: z.number(), updatedAt: z.number() })
  .meta({ id: 'Registration' })
export type Registration = z.infer<typeof registrationSchema>

/** What core is asked to keep; the DID is in the path. */
export const putRegistrationSchema = registerRequestSchema.omit({ did: true }).meta({ id: 'PutRegistration' })

/** What the authority says of it. The key agreement is the identity’s own. */
export const standingRegistrationSchema = z
  .strictObject({
    services: z.array(didServiceSchema),
    registeredAt: z.number(),
    updatedAt: z.number().meta({ description: 'When it was last put, epoch ms' }),
  })
  .meta({ id: 'StandingRegistration' })
export type StandingRegistration = z.infer<typeof standingRegistrationSchema>
