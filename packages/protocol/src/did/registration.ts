/**
 * Registration of a `did:svc` for resolution (workers/docs/pages/developer/did.md): the services its DID document
 * lists, and the key to encrypt to. Core stores it with the identity.
 *
 * @module
 */
import * as z from 'zod'
import { didSchema } from '../base/identity.ts'
import { signedKeyAgreementSchema } from '../base/key-agreement.ts'
import { pure } from '../base/pure.ts'

/** Service endpoint URI: absolute, with scheme https, http, did or mailto, and no white space. */
const endpointSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .max(2048)
    .regex(/^(?:https?:\/\/|did:|mailto:)[^\s"<>\\^`{|}]+$/, 'must be an absolute http, https, did or mailto URI')
    .refine((text) => /^[!-~]+$/.test(text) && URL.canParse(text), 'must be a URI'),
)
export const didServiceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      id: z
        .string()
        .regex(/^#[A-Za-z0-9._~-]{1,64}$/, 'must be # and 1 to 64 unreserved characters')
        // Key ids in the DID document use these prefixes; a duplicate id would make references ambiguous.
        .refine((id) => !/^#(?:root|kem)-/.test(id), 'must not start with #root- or #kem-'),
      type: z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/, 'must be 1 to 64 letters and digits'),
      serviceEndpoint: endpointSchema,
    })
    .meta({ id: 'DidService', description: 'One service of a DID document; `id` is relative to the DID' }),
)
export type DidService = z.infer<typeof didServiceSchema>

export const MAX_SERVICES = 16
const servicesSchema = /* @__PURE__ */ pure(() =>
  z
    .array(didServiceSchema)
    .max(MAX_SERVICES)
    .refine((services) => new Set(services.map(({ id }) => id)).size === services.length, 'ids must be unique'),
)

export const registerRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      keyAgreement: signedKeyAgreementSchema.optional(),
      services: servicesSchema.optional(),
    })
    .meta({ id: 'RegisterRequest' }),
)
export type RegisterRequest = z.infer<typeof registerRequestSchema>

export const registrationSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ did: didSchema, registeredAt: z.number(), updatedAt: z.number() }).meta({ id: 'Registration' }),
)
export type Registration = z.infer<typeof registrationSchema>

/** Body of the request that stores a registration at core; the DID is in the path. */
export const putRegistrationSchema = /* @__PURE__ */ pure(() =>
  registerRequestSchema.omit({ did: true }).meta({ id: 'PutRegistration' }),
)

/** The registration as part of an identity's authority record; the key agreement is held there separately. */
export const standingRegistrationSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      services: z.array(didServiceSchema),
      registeredAt: z.number(),
      updatedAt: z.number().meta({ description: 'When it was last written, epoch ms' }),
    })
    .meta({ id: 'StandingRegistration' }),
)
export type StandingRegistration = z.infer<typeof standingRegistrationSchema>
