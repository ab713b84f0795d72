import { env, exports } from 'cloudflare:workers'

export const BASE = 'https://docs.test'

const { TEST_DOCS } = env as unknown as { readonly TEST_DOCS: Fetcher }

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)

/** Sends to the Worker as callers reach it, by way of the router that could answer with an asset in its place. */
export const sendByRouter = (request: Request): Promise<Response> => TEST_DOCS.fetch(request)
