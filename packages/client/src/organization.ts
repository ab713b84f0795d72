import type { InceptionHead, InceptOrg, RotateOfficers } from '@svc/protocol/inception'
import { type InceptionAppended, inceptionAppendedSchema } from '@svc/protocol/inception-api'
import type { OfficerApproval, SignedOfficerAcceptance } from '@svc/protocol/officers'
import { signStatement, statementHash } from '@svc/protocol/statement'
import type { Identity } from './identity.ts'
import type { Transport } from './transport.ts'

type OrgStatement = InceptOrg['statement'] | RotateOfficers['statement']

/** An organization and its officers (document 1 section 4.3). The identity of this client is the organization's, or an officer's. */
export class Organization {
  readonly #transport: Transport
  readonly #base: string
  readonly #identity: Identity

  constructor(transport: Transport, base: string, identity: Identity) {
    this.#transport = transport
    this.#base = base
    this.#identity = identity
  }

  /** The statement that makes this identity an organization, to be accepted by each officer. `head` from `devices.head()`. */
  makeInception(officers: readonly string[], quorum: number, head: InceptionHead): InceptOrg['statement'] {
    return { type: 'svc/org-inception/v1', ...this.#roster(officers, quorum, head) }
  }

  /** The statement that changes the officers; `rosterVersion` is the current version and 1. */
  makeRotation(
    officers: readonly string[],
    quorum: number,
    rosterVersion: number,
    head: InceptionHead,
  ): RotateOfficers['statement'] {
    return { type: 'svc/org-officers/v1', ...this.#roster(officers, quorum, head), rosterVersion }
  }

  /** As an officer: takes the office in exactly this roster. */
  async accept(statement: OrgStatement): Promise<SignedOfficerAcceptance> {
    const { did: officerDid, publicKeyB64u } = this.#identity
    const acceptance = {
      type: 'svc/officer-acceptance/v1',
      orgDid: statement.did,
      orgScope: statement.scope,
      officerDid,
      rosterHash: statementHash(statement),
      issuedAt: this.#transport.now(),
    } as const
    return { ...(await signStatement(acceptance, (message) => this.#identity.sign(message))), publicKeyB64u }
  }

  /** As an outgoing officer: approves a change of officers. */
  async approve(statement: RotateOfficers['statement']): Promise<OfficerApproval> {
    const { did: officerDid, publicKeyB64u } = this.#identity
    const { signatureB64u } = await signStatement(statement, (message) => this.#identity.sign(message))
    return { officerDid, publicKeyB64u, signatureB64u }
  }

  /** Makes this identity an organization. Every officer has accepted this very statement. */
  async incept(
    statement: InceptOrg['statement'],
    acceptances: readonly SignedOfficerAcceptance[],
  ): Promise<InceptionAppended> {
    const body = { ...(await signStatement(statement, (message) => this.#identity.sign(message))), acceptances }
    const call = { method: 'POST', url: `${this.#base}/api/inception/org`, audience: 'genesis', body } as const
    return this.#transport.data(call, inceptionAppendedSchema)
  }

  /** Changes the officers: a quorum of the outgoing has approved, and each who is new has accepted. */
  async rotateOfficers(
    statement: RotateOfficers['statement'],
    signatures: {
      readonly approvals: readonly OfficerApproval[]
      readonly acceptances: readonly SignedOfficerAcceptance[]
    },
  ): Promise<InceptionAppended> {
    const body = { ...(await signStatement(statement, (message) => this.#identity.sign(message))), ...signatures }
    const call = { method: 'POST', url: `${this.#base}/api/inception/org-officers`, body } as const
    return this.#transport.data(call, inceptionAppendedSchema)
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
