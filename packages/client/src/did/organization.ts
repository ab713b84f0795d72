import type * as z from 'zod'
import type { InceptionHead } from '#protocol/base/inception-head'
import { signStatement, statementHash } from '#protocol/base/statement'
import { type InceptionAppended, inceptionAppendedSchema } from '#protocol/devices/api'
import { type InceptOrg, orgInceptionSchema, orgOfficersSchema, type RotateOfficers } from '#protocol/devices/inception'
import type { OfficerApproval, SignedOfficerAcceptance } from '#protocol/devices/officers'
import type { ReadHead } from '../devices/known-inception.ts'
import type { Identity } from '../identity/identity.ts'
import { placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { Transport } from '../transport/transport.ts'
import { readContent } from '../verification/read-content.ts'
import { unverified } from '../verification/verification-error.ts'

type OrgStatement = InceptOrg['statement'] | RotateOfficers['statement']

/** An organization and its officers. This client's identity is the organization, or one of its officers. */
export class Organization {
  readonly #transport: Transport
  readonly #base: string
  readonly #identity: Identity
  readonly #readHead: ReadHead

  constructor(transport: Transport, base: string, identity: Identity, readHead: ReadHead) {
    this.#transport = transport
    this.#base = base
    this.#identity = identity
    this.#readHead = readHead
  }

  /** The statement that makes this identity an organization, for each officer to accept. `head` from `devices.head()`. */
  async makeInception(
    officers: readonly string[],
    quorum: number,
    head: InceptionHead,
  ): Promise<InceptOrg['statement']> {
    return { type: 'svc/org-inception/v1', realm: this.#transport.realm, ...this.#roster(officers, quorum, head) }
  }

  /** The statement that changes the officers; `rosterVersion` is the current version plus one. */
  async makeRotation(
    officers: readonly string[],
    quorum: number,
    rosterVersion: number,
    head: InceptionHead,
  ): Promise<RotateOfficers['statement']> {
    return {
      type: 'svc/org-officers/v1',
      realm: this.#transport.realm,
      ...this.#roster(officers, quorum, head),
      rosterVersion,
    }
  }

  /**
   * As an officer: accepts exactly this roster. Reads the head of your own inception log first, because an acceptance
   * must not name an older event than an earlier one of yours for the same organization.
   */
  async accept(statement: OrgStatement): Promise<SignedOfficerAcceptance> {
    const { did: officerDid, publicKeyB64u } = this.#identity
    await this.#readHead()
    const acceptance = {
      type: 'svc/officer-acceptance/v1',
      ...placed(await this.#transport.signing()),
      orgDid: statement.did,
      orgScope: statement.scope,
      officerDid,
      rosterHash: statementHash(statement),
    } as const
    return { ...(await signStatement(acceptance, signerOf(this.#identity))), publicKeyB64u }
  }

  /** As an outgoing officer: approves a change of officers. */
  async approve(statement: RotateOfficers['statement']): Promise<OfficerApproval> {
    const { did: officerDid, publicKeyB64u } = this.#identity
    const { signatureB64u } = await signStatement(this.#own(orgOfficersSchema, statement), signerOf(this.#identity))
    return { officerDid, publicKeyB64u, signatureB64u }
  }

  /** Makes this identity an organization. Every officer must have accepted this statement. */
  async incept(
    statement: InceptOrg['statement'],
    acceptances: readonly SignedOfficerAcceptance[],
  ): Promise<InceptionAppended> {
    const signed = await signStatement(this.#own(orgInceptionSchema, statement), signerOf(this.#identity))
    const body = { ...signed, acceptances }
    const call = { method: 'POST', url: `${this.#base}/api/inception/org`, audience: 'genesis', body } as const
    return this.#transport.data(call, inceptionAppendedSchema)
  }

  /** Changes the officers: a quorum of the outgoing officers approved, and each new one accepted. */
  async rotateOfficers(
    statement: RotateOfficers['statement'],
    signatures: {
      readonly approvals: readonly OfficerApproval[]
      readonly acceptances: readonly SignedOfficerAcceptance[]
    },
  ): Promise<InceptionAppended> {
    const signed = await signStatement(this.#own(orgOfficersSchema, statement), signerOf(this.#identity))
    const body = { ...signed, ...signatures }
    const call = { method: 'POST', url: `${this.#base}/api/inception/org-officers`, body } as const
    return this.#transport.data(call, inceptionAppendedSchema)
  }

  /** Somebody else may have made the statement: it is signed only as what it claims to be, and for this deployment. */
  #own<S extends OrgStatement>(schema: z.ZodType<S>, statement: S): S {
    const own = readContent('roster', schema, statement)
    if (own.realm !== this.#transport.realm)
      throw unverified('roster', 'wrong_realm', 'The statement is for another deployment')
    return own
  }

  #roster(officers: readonly string[], quorum: number, { sequence, hash }: InceptionHead) {
    const { did, scope, epoch } = this.#identity
    return {
      did,
      scope,
      sequence: sequence + 1,
      previousHash: hash,
      rootEpoch: epoch,
      officers: [...officers],
      quorum,
      issuedAt: this.#transport.now(),
    }
  }
}
