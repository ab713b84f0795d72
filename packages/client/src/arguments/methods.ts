import type { Services } from '../services/services.ts'
import * as content from './content-methods.ts'
import * as identity from './identity-methods.ts'
import * as service from './service-methods.ts'
import type { Takes } from './takes.ts'

/** What the methods of every service of a client take, by the name of the service. */
export const METHODS: {
  readonly [Name in Exclude<keyof Services, 'originOf'>]: Takes<Awaited<ReturnType<Services[Name]>>>
} = {
  did: identity.DID,
  keyHistory: identity.KEY_HISTORY,
  pairing: identity.PAIRING,
  authorization: identity.AUTHORIZATION,
  account: identity.ACCOUNT,
  chain: identity.CHAIN,
  security: identity.SECURITY,
  watch: identity.WATCH,
  rotation: identity.ROTATION,
  devices: identity.DEVICES,
  events: identity.EVENTS,
  recovery: identity.RECOVERY,
  deployment: identity.DEPLOYMENT,
  notes: content.NOTES,
  inbox: content.INBOX,
  contact: content.CONTACT,
  anchors: content.ANCHORS,
  assets: content.ASSETS,
  consent: content.CONSENT,
  provenance: content.PROVENANCE,
  governance: content.GOVERNANCE,
  keyDirectory: service.KEY_DIRECTORY,
  guardians: service.GUARDIANS,
  epochs: service.EPOCHS,
  transparency: service.TRANSPARENCY,
  membership: service.MEMBERSHIP,
  members: service.MEMBERS,
  organization: service.ORGANIZATION,
  pay: service.PAY,
  entitlement: service.ENTITLEMENT,
  quota: service.QUOTA,
}
