/**
 * What a device key must be allowed to do before a route takes its assertion. The root key may do everything; a
 * route that is not in the table takes no device.
 *
 * @module
 */
import type { Capability } from '@svc/protocol/device'

/** A capability, `any` for whatever device is active, `root` where only the root key will do. */
export type RouteCapability = Capability | 'any' | 'root'

/** Every protected route is here, and a test holds it to that. */
const ROUTES: { readonly [route: string]: RouteCapability } = {
  'core POST /api/chain/append': 'chain:append',
  'core GET /api/chain/head': 'chain:read',
  'core GET /api/chain/blocks': 'chain:read',
  'core GET /api/chain/payload/{blockId}': 'chain:read',
  // What a device may veto or hold, it may whatever else it was given; a freeze and a co-signature are their own
  // credential, and the assertion only says that somebody is there.
  'core POST /api/chain/rotation/freeze': 'any',
  'core POST /api/chain/rotation/cosign': 'any',
  'core POST /api/chain/rotation/activate': 'rotation:request',
  'core POST /api/chain/rotation/v2/activate': 'rotation:request',
  'core POST /api/chain/rotation/rehearse': 'root',
  'core GET /api/chain/rotation/current': 'account:read',
  'core GET /api/sync/status': 'account:read',
  'core GET /api/security/hold': 'any',
  'core POST /api/security/hold': 'any',
  'core POST /api/security/hold/lift': 'root',
  'core POST /api/inception/head': 'account:read',
  'core GET /api/inception/events': 'account:read',
  'core POST /api/inception/device': 'root',
  'core POST /api/inception/device-event': 'root',
  'core POST /api/inception/device-batch': 'root',
  'core POST /api/inception/org': 'root',
  'core POST /api/pair/offer': 'root',
  'core GET /api/pair/offer/{code}': 'root',
  'core DELETE /api/pair/offer/{code}': 'root',
  'core POST /api/pair/seal': 'root',
  'core POST /api/authorize/offer': 'root',
  'core GET /api/authorize/offer/{code}': 'root',
  'core DELETE /api/authorize/offer/{code}': 'root',
  'core POST /api/authorize/grant': 'root',
  'core GET /api/anchors/eligibility': 'anchors:read',
  'core POST /api/anchors': 'anchors:submit',
  'core POST /api/assets/mint': 'assets:write',
  // What cannot be taken back is for the root key.
  'core POST /api/assets/transfer': 'root',
  'core POST /api/assets/{id}/export': 'assets:read',
  'core GET /api/assets/{id}': 'assets:read',
  'core GET /api/assets/{id}/receipts': 'assets:read',
  'core POST /api/assets/{id}/receipts': 'assets:write',
  'core GET /api/inbox/{did}': 'inbox:read',
  'core POST /api/inbox/{did}/{msgId}/read': 'inbox:read',
  'core DELETE /api/inbox/{did}/{msgId}': 'inbox:delete',
  'core POST /api/ipfs/pin': 'assets:write',
  'core POST /api/user/verify': 'account:read',
  'core GET /api/governance/policy': 'any',
  'core POST /api/governance/policy': 'any',
  'core GET /api/governance/audit': 'any',
  'core POST /api/notes/{did}': 'notes:write',
  'core GET /api/notes/{did}': 'notes:read',
  'core GET /api/notes/{did}/export': 'notes:read',
  'core GET /api/notes/{did}/storage': 'notes:read',
  'core GET /api/notes/{did}/{noteId}': 'notes:read',
  'core DELETE /api/notes/{did}/{noteId}': 'notes:delete',
  'core GET /api/notes/{did}/{noteId}/versions': 'notes:read',
  'core GET /api/notes/{did}/{noteId}/versions/{v}': 'notes:read',
  'core GET /api/notes/{did}/{noteId}/attachments/{attId}': 'notes:read',
  'core PUT /api/notes/{did}/{noteId}/attachments/{attId}': 'notes:write',
  'core GET /api/notes/{did}/cas/{cipherHash}': 'notes:read',
  'core GET /api/notes/{did}/cas/refs': 'notes:read',
  'core POST /api/headers/prepare': 'headers:prepare',
  'provenance POST /api/register': 'provenance:write',
  'provenance POST /api/register/video': 'provenance:write',
  'provenance POST /api/commitment': 'provenance:write',
  'provenance POST /api/register/text': 'provenance:write',
  'provenance POST /api/keypoints/upload': 'provenance:write',
  // An assertion only selects the limit there, which is that of the owner.
  'provenance POST /api/search/semantic': 'any',
  'provenance POST /api/search/fragment': 'any',
  'provenance POST /api/search/video': 'any',
  'provenance POST /api/search/video/fragment': 'any',
  'provenance POST /api/query/text': 'any',
  'did POST /1.0/register': 'root',
  'did GET /1.0/identifiers/{did}/bindings': 'account:read',
  'did GET /1.0/org/{orgDid}/members': 'org:read',
  'did GET /1.0/org/{orgDid}/memberships': 'org:read',
  'did GET /1.0/org/{orgDid}/events': 'org:read',
  // The root key has signed the event; the device only carries it.
  'did POST /1.0/org/{orgDid}/bind': 'org:write',
  'did POST /1.0/org/{orgDid}/revoke': 'org:write',
  'did GET /api/rotation/request': 'account:read',
  'did POST /api/rotation/request': 'rotation:request',
  'did POST /api/rotation/activated': 'rotation:request',
  'keys PUT /api/key-directory/{accountDid}/devices/{deviceId}': 'root',
  'keys GET /api/key-directory/{accountDid}/devices': 'directory:read',
  'keys GET /api/key-directory/{accountDid}/devices/{deviceId}': 'directory:read',
  'keys POST /api/key-directory/{accountDid}/devices/{deviceId}/prekeys/reserve': 'prekeys:reserve',
  'keys POST /api/key-directory/{accountDid}/devices/{deviceId}/prekeys': 'prekeys:write',
  'keys GET /api/key-directory/{accountDid}/devices/{deviceId}/prekeys': 'prekeys:write',
  'keys POST /api/key-directory/{accountDid}/devices/{deviceId}/revoke': 'root',
  'keys POST /api/guardian/attest': 'root',
  'keys POST /api/epoch/join': 'epochs:write',
  'keys POST /api/epoch/ack': 'epochs:write',
  'keys POST /api/prekeys/upload': 'prekeys:write',
  'keys POST /api/prekeys/replenish': 'prekeys:write',
  'keys GET /api/prekeys/{userId}': 'prekeys:write',
  'pay POST /pay/intent': 'payments:write',
  'pay GET /pay/intent/{id}': 'quota:read',
  'pay POST /pay/intent/{id}/cancel': 'payments:write',
  'pay GET /entitlement': 'quota:read',
  'pay POST /entitlement/redeem': 'payments:write',
  'pay POST /entitlement/renewal': 'payments:write',
  'pay GET /quota': 'quota:read',
  'pay POST /quota/consume': 'quota:consume',
  'pay POST /quota/refund': 'quota:consume',
  'pay POST /quota/delta': 'quota:consume',
}

/** What a device needs on a route, by its OpenAPI template; `root` where the table is silent. */
export function capabilityOf(service: string, method: string, template: string): RouteCapability {
  return ROUTES[`${service} ${method} ${template}`] ?? 'root'
}

/** Every row of one service, for the test that holds the table to the live routes. */
export function listedRoutes(service: string): string[] {
  const prefix = `${service} `
  return Object.keys(ROUTES)
    .filter((route) => route.startsWith(prefix))
    .map((route) => route.slice(prefix.length))
}
