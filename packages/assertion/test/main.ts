/** The Worker that the tests of the guard run in: nothing but its Durable Object. */
export { NonceGuard } from '../src/worker/index.ts'

// biome-ignore lint/style/noDefaultExport: the runtime looks for one
export default { fetch: () => new Response(null, { status: 404 }) }
