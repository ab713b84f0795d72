/** Test Worker that hosts only the guard's Durable Object. */
export { NonceGuard } from '../src/worker/index.ts'

// biome-ignore lint/style/noDefaultExport: the runtime looks for one
export default { fetch: () => new Response(null, { status: 404 }) }
