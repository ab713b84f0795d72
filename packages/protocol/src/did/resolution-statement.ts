/** What a resolver signs about a result; `resolution-proof` builds and verifies it. */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema, signatureSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { statementSchema } from '../base/statement.ts'

export const resolutionStatementSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/resolution/v1', {
    resolver: z.string().meta({ description: 'The resolver’s own DID', example: 'did:web:did.example' }),
    did: didSchema,
    version: z
      .string()
      .nullable()
      .meta({ description: 'The requested version as in the query, such as `versionId=0`; null for the current one' }),
    retrieved: z.string().meta({ description: 'As in the resolution metadata' }),
    error: z.string().nullable().meta({ description: '`type` of the error, or null' }),
    documentHash: hashSchema.meta({ description: 'SHA3-384 over JCS of `didDocument`, which can be null' }),
    metadataHash: hashSchema.meta({ description: 'SHA3-384 over JCS of `didDocumentMetadata`' }),
  }).meta({ id: 'ResolutionStatement', description: 'What a resolver returned for a DID' }),
)
export type ResolutionStatement = z.infer<typeof resolutionStatementSchema>

export const resolutionProofSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      type: z.enum(['SvcResolutionProof']),
      verificationMethod: z.string().meta({ description: 'Key in the resolver’s own document, /.well-known/did.json' }),
      proofPurpose: z.literal('assertionMethod'),
      statement: resolutionStatementSchema,
      signatureB64u: signatureSchema,
    })
    .meta({ id: 'ResolutionProof', description: 'Absent if the resolver has no signing key' }),
)
