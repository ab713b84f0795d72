import { exports } from 'cloudflare:workers'

export const BASE = 'https://docs.test'

/** Sends to the Worker under test through its own `fetch`. */
export const send = (request: Request): Promise<Response> => exports.default.fetch(request)
