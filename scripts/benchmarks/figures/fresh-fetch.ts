import type { Fetch } from '@svc/client'
import { freshAddress } from '@svc/platform/callers/send'

/** For clients of the SDK: each few requests come from another address, so that no limit of an address is met. */
export const freshFetch: Fetch = (url, init) =>
  fetch(url, { ...init, headers: { ...init.headers, 'cf-connecting-ip': freshAddress() } })
