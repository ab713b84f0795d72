/**
 * The officers of an organization (workers/docs/pages/developer/organizations.md): who they are and their quorum. A
 * change requires a quorum of the outgoing officers, the acceptance of each new one, and the organization's root key.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema, signatureSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { err, ok, type Result } from '../base/result.ts'
import { ownedStatementSchema, signedSchema, statementHash } from '../base/statement.ts'

/** An officer change carries 7 kB of key and signature per officer, so sixteen officers stay below the body cap. */
export const MAX_OFFICERS = 16

export const officersSchema = /* @__PURE__ */ pure(() =>
  z
    .array(didSchema)
    .min(1)
    .max(MAX_OFFICERS)
    .refine((dids) => new Set(dids).size === dids.length, 'must not contain duplicates')
    .meta({ description: 'DIDs of the officers' }),
)
export const quorumSchema = /* @__PURE__ */ pure(() =>
  z.int().min(1).max(MAX_OFFICERS).meta({ description: 'Officers required to decide' }),
)

export const officerAcceptanceSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/officer-acceptance/v1', {
    orgDid: didSchema,
    orgScope: scopeSchema,
    officerDid: didSchema,
    rosterHash: hashSchema.meta({ description: 'SHA3-384 over JCS of the statement that names the officer' }),
  }).meta({ id: 'OfficerAcceptance', description: 'An officer accepts office in exactly this roster' }),
)
export const signedOfficerAcceptanceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...signedSchema(officerAcceptanceSchema).shape, publicKeyB64u: publicKeySchema })
    .meta({ id: 'SignedOfficerAcceptance', description: 'Includes and is signed by the officer’s current root key' }),
)
export type SignedOfficerAcceptance = z.infer<typeof signedOfficerAcceptanceSchema>

export const officerApprovalSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ officerDid: didSchema, publicKeyB64u: publicKeySchema, signatureB64u: signatureSchema })
    .meta({ id: 'OfficerApproval', description: 'An outgoing officer’s signature over the same statement' }),
)
export type OfficerApproval = z.infer<typeof officerApprovalSchema>

export interface Roster {
  readonly version: number
  readonly officers: readonly string[]
  readonly quorum: number
}

interface RosterStatement {
  readonly did: string
  readonly scope: string
  readonly officers: readonly string[]
  readonly quorum: number
  readonly rosterVersion?: number
}

interface RosterEvidence {
  readonly approvals?: readonly OfficerApproval[]
  readonly acceptances: readonly SignedOfficerAcceptance[]
}

export type RosterFault = {
  readonly reason:
    | 'org_exists'
    | 'not_an_org'
    | 'roster_version'
    | 'quorum_not_met'
    | 'acceptance_missing'
    | 'not_eligible'
}

/** The roster a statement establishes, or the rule it violates. Signatures and their owners are checked separately. */
export function checkRoster(
  current: Roster | null,
  statement: RosterStatement,
  { approvals, acceptances }: RosterEvidence,
): Result<Roster, RosterFault> {
  const isInception = statement.rosterVersion === undefined
  if (isInception && current) return err({ reason: 'org_exists' })
  if (!isInception && !current) return err({ reason: 'not_an_org' })
  const version = (current?.version ?? 0) + 1
  // No replay of an old roster and no gaps: the signed version must be exactly the next one.
  if (!isInception && statement.rosterVersion !== version) return err({ reason: 'roster_version' })
  const { officers, quorum } = statement
  if (quorum > officers.length) return err({ reason: 'quorum_not_met' })
  // An organization that is its own officer could decide alone.
  if (officers.includes(statement.did)) return err({ reason: 'not_eligible' })
  const approving = new Set(approvals?.map(({ officerDid }) => officerDid))
  const outgoing = current?.officers.filter((did) => approving.has(did)).length ?? 0
  if (current && outgoing < current.quorum) return err({ reason: 'quorum_not_met' })
  const rosterHash = statementHash(statement)
  const accepting = new Set(
    acceptances
      .map((acceptance) => acceptance.statement)
      .filter((accepted) => accepted.orgDid === statement.did && accepted.orgScope === statement.scope)
      .filter((accepted) => accepted.rosterHash === rosterHash)
      .map(({ officerDid }) => officerDid),
  )
  const incoming = officers.filter((did) => !current?.officers.includes(did))
  if (!incoming.every((did) => accepting.has(did))) return err({ reason: 'acceptance_missing' })
  return ok({ version, officers, quorum })
}
