import type { InceptionHead } from '#protocol/base/inception-head'
import type { ChainBlock, ChainHead } from '#protocol/chain/chain'
import type { Commitment } from '#protocol/chain/commitment'
import type { RotationRecord } from '#protocol/chain/rotation'
import type { InceptOrg, RotateOfficers } from '#protocol/devices/inception'

import type { OrgHead } from '#protocol/did/org-bindings'

import type { ContactEnvelope, ContactMessage, InboxMessage } from '#protocol/inbox/inbox'
import type { AccountHead } from '#protocol/keys/account-updates'
import type { DevicePackage, RevokedPackage } from '#protocol/keys/directory'
import type { AnchorStamp } from '#protocol/ledger/anchor-stamp'
import type { PolicyProposal } from '#protocol/ledger/governance'
import type { ModelManifest } from '#protocol/provenance/model-files'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { OpenContact } from '../inbox/contact.ts'
import type { ReplyKey } from '../inbox/reply.ts'
import type { AttachedFile, Note } from '../notes/record.ts'
import type { NoteBase } from '../notes/vault.ts'
import type { SignedCapsule } from '../provenance/provenance.ts'
import type { WatchToken } from '../watch/watch-token.ts'

/** What a caller passes on as it was made or answered. It may have members that this SDK does not know. */
export type Document =
  | Identity
  | Device
  | WatchToken
  | { readonly statement: object; readonly signatureB64u: string | null }
  | Commitment
  | { readonly acceptance: object }
  | InceptOrg['statement']
  | RotateOfficers['statement']
  | ChainBlock
  | ChainHead
  | InceptionHead
  | OrgHead
  | AccountHead
  | Pick<RotationRecord, 'rotationId' | 'version'>
  | { readonly epoch: number; readonly userId: string }
  | PolicyProposal
  | AnchorStamp
  | DevicePackage
  | RevokedPackage
  | { readonly seq: number; readonly head: string; readonly label: string }
  | ContactMessage
  | InboxMessage
  | ContactEnvelope
  | OpenContact
  | ReplyKey
  | AttachedFile
  | Note
  | NoteBase
  | SignedCapsule
  | ModelManifest['artefacts'][number]
