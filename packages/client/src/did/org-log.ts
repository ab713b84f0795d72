import { bytesOf } from '#protocol/base/base64url'
import type { Realms } from '#protocol/base/realm'
import { verifyStatement } from '#protocol/base/statement'
import type { EpochKey } from '#protocol/chain/chain'
import { NO_ORG_EVENT, type OrgEvent, type OrgHead, orgEventHash } from '#protocol/did/org-bindings'
import type { KeyHistory } from '../chain/key-history.ts'
import type { LogName, Place } from '../memory/errors.ts'
import type { LinkedLog } from '../memory/linked-log.ts'

export function orgName(orgDid: string): LogName {
  return { kind: 'organization', of: orgDid }
}

export function placeOfOrg({ sequence, hash }: OrgHead): Place {
  return { position: sequence, hash }
}

export function placeOfOrgEvent(event: OrgEvent): Place {
  return { position: event.statement.sequence, hash: orgEventHash(event) }
}

export function headOfOrg({ position, hash }: Place): OrgHead {
  return { sequence: position, hash }
}

export interface OrgLogParts {
  readonly orgDid: string
  readonly keys: Pick<KeyHistory, 'of'>
  readonly realms: Realms
  readonly events: (from: number) => AsyncIterable<OrgEvent>
}

/** The bindings of an organization, as the rule of memory reads them. */
export function orgLog({ orgDid, keys, realms, events }: OrgLogParts): LinkedLog<OrgEvent> {
  let known: readonly EpochKey[] = []
  return {
    name: orgName(orgDid),
    placeOf: placeOfOrgEvent,
    previousOf: ({ statement }) => statement.previousHash,
    entries: events,
    epochOf: async (event) => {
      const { statement, signatureB64u } = event
      if (!known[statement.rootEpoch]) known = await keys.of(orgDid)
      const key = known[statement.rootEpoch]
      const isTheirs = key !== undefined && statement.orgDid === orgDid
      return isTheirs && (await verifyStatement({ statement, signatureB64u }, bytesOf(key.publicKeyB64u), realms))
        ? key.epoch
        : null
    },
    emptyHash: () => Promise.resolve(NO_ORG_EVENT),
  }
}
