import type { ErrorName } from '#client/functions'

/** What was sent and where to: forms, sizes, paths, limits, and what a deployment does not have. */
export const REQUESTS = {
  invalid_request:
    'The message names the members that are wrong, at most five. Compare them with the table of the operation in the [API reference](/developer/api-core); members that it does not list are refused too on most routes.',
  'invalid-json':
    'Check that the body is JSON in UTF-8, without trailing commas, and nested at most 64 deep: see [Bodies](/developer/limits#bodies).',
  unsupported_alg:
    'Send `hashAlg` as `sha3-384`, or leave it out: see [Verifying a signature](/developer/core#verifying-a-signature).',
  invalid_cursor:
    'Start again without `cursor`, and pass on each `cursor` exactly as the answer before had it, to the same route with the same query.',
  not_found:
    'Check the path and the id, also its form, and that the record is at this service and deployment. Records of others, and what has expired, look the same as what never was; an unknown [path](#methods-and-paths) is this error too.',
  'Not found':
    'Check the method and the path: auth answers this for everything it does not have. Its pages are in the [console](/developer/auth#routes), at an address of their own.',
  method_not_allowed:
    'Use a method from the `Allow` header. A GET that [uses something up](/developer/core#routes) takes no HEAD.',
  unsupported_media_type:
    'Send JSON as `content-type: application/json` in UTF-8, or without that header, and do not compress the body: see [Bodies](/developer/limits#bodies). Routes that take bytes name their types in the API reference.',
  payload_too_large:
    'Send less at once. The limit of the route is under “Body” of its operation, and [Bodies](/developer/limits#bodies) has those for the number of values.',
  too_many_items:
    '`details.collection` names the list and `details.limit` the most items that it can have: see [lists in a body](/developer/limits#lists-in-a-body). Split a batch, such as a [consent batch](/developer/consent#reading), over several requests; of anything else send fewer.',
  range_not_satisfiable:
    'Ask for a range that begins before the end; `Content-Range` of the answer has the length. Without `Range` you get the whole content.',
  upgrade_required:
    'Connect with `new WebSocket(url, protocols)` and offer `svc.events.v1` with your ticket, which stays valid: see [A WebSocket](/developer/events#a-websocket). Programs without WebSockets can read the [feed](/developer/events#reading).',
  rate_limited:
    'Wait for `Retry-After` seconds, then send the same request again: the limits come before the credential, so the [assertion](/developer/first-client#if-you-get-429) of a tier refusal is not spent. [Limits](/developer/limits#when-you-exceed-a-limit) lists what is counted, and by what.',
  internal_error:
    'This is a fault of the service. Repeat the request once, as described for [retries](/developer/first-client#what-to-retry-and-how); if it stays, give the operator the `X-Request-ID`.',
  dependency_unavailable:
    'Repeat the request after a few seconds, with a new assertion and the same body: see [what to retry](/developer/first-client#what-to-retry-and-how). The SDK [retries](/developer/sdk#retries) by itself where that is safe.',
  endpoint_retired:
    'Nothing replaces the path under its old address. `x-retired` in `/openapi.json` lists what has ended; the [changelog](/developer/changelog) and [Versioning](/developer/versioning#how-something-is-withdrawn) say what to use.',
  entitlement_claim_retired:
    'Redeem a code with `POST /entitlement/redeem` instead, or `client.entitlement.redeem(code)`: see [Codes](/developer/pay#codes).',
  receipts_unavailable:
    'Only the operator can change this: the deployment has no receipt key, which is one of the [secrets](/developer/operating#secrets). What needs no receipt still works.',
  snapshots_unavailable:
    'Only the operator can change this, with `CONSENT_SEED` among the [secrets](/developer/operating#secrets). Read [records or batches](/developer/consent#reading) instead.',
  log_unavailable:
    'Only the operator can change this: the deployment has no key for this [log](/developer/concept-anchors), one of the [secrets](/developer/operating#secrets). Records can be read, but not proved to be in a log.',
  log_list_unavailable:
    'Only the operator can change this, by publishing the [log list](/developer/deploying#the-log-list). Until then, no client can verify checkpoints by it.',
  operator_acts_disabled:
    'Set `OPERATOR_PUBLIC_KEY` and deploy again: see [Operator key](/developer/operating#operator-key). Callers who are not the operator have no use for this route.',
} as const satisfies Partial<Record<ErrorName, string>>
