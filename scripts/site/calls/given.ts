/**
 * What the calls of the API reference start from.
 *
 * @module
 */
import type { Client, Device, Identity, Note } from '@svc/client'
import type { SignIn, SignInSession } from '@svc/client/sign-in'

export interface Person {
  readonly identity: Identity
  readonly client: Client
}

export type PendingRotation = Parameters<Client['rotation']['activate']>[0]

/** The names that a call can use. */
export interface Given {
  // Made at the top of each page.
  readonly core: string
  readonly origin: string
  readonly identity: Identity
  readonly client: Client
  readonly person: SignIn
  // Explained where they are used.
  readonly friend: Person
  readonly org: Person
  readonly officer: Person
  readonly subscriber: Person
  readonly governor: Person
  readonly cosigner: Client
  readonly approved: PendingRotation
  readonly due: PendingRotation
  readonly device: Device
  readonly phone: Device
  readonly assetId: string
  readonly cid: string
  readonly code: string
  readonly epoch: number
  readonly msgId: string
  readonly name: string
  readonly note: Note
  readonly otp: (assetId: string) => Promise<string>
  readonly receiver: string
  readonly registered: string
  readonly rotated: { readonly client: Client; readonly rotationId: string }
  readonly session: SignInSession
  readonly signed: { readonly publicKeyB64u: string; readonly messageB64u: string; readonly signatureB64u: string }
}

export type Calls = Readonly<Record<string, (given: Given) => Promise<void>>>

/** What a page says of the names that it does not make at its top. */
export const EXPLAINED: Readonly<Partial<Record<keyof Given, string>>> = {
  friend: '`{ identity, client }` of another identity, made like yours',
  org: '`{ identity, client }` of an [organization](/developer/organizations) with a plan',
  officer: '`{ identity, client }` of its only officer',
  subscriber: '`{ identity, client }` of an identity that subscribed to `atelier-month`',
  governor: '`{ identity, client }` of the only signer of the [policy](/developer/governance) of the deployment',
  cosigner: 'a client of a device of your identity that may co-sign',
  approved: 'a rotation of version 1 that the operator has approved: `scripts/admin approve-rotation DID ID`',
  due: 'a rotation of version 2 whose waiting period is over',
  device: 'a [device](/developer/devices) of your identity',
  phone: 'a [device](/developer/devices) of your identity that has published a key package with prekeys',
  assetId: 'an asset that you minted, whose inbox takes messages',
  cid: 'the CID of content that the IPFS gateway of the deployment has',
  code: 'a code from the operator: `scripts/admin code provenance 30`',
  epoch: 'the number of an open epoch: `scripts/admin open-epoch NUMBER HOURS`',
  msgId: 'the id of a message in your inbox',
  name: 'the name of an account, registered with this password',
  note: 'a note of yours with an attachment',
  otp: 'a function of yours that finds the code in the mail, which a local start writes to files',
  receiver: 'the address of a server of yours that answers the challenge: see [Web hooks](/developer/event-hooks)',
  registered: 'a DID that its owner has [registered](/developer/did)',
  rotated: '`{ client, rotationId }`: a rotation that you activated, and a client of the new key',
  session: 'the `session` of a login',
  signed: 'a signature as base64url: `publicKeyB64u`, `messageB64u` and `signatureB64u`',
}
