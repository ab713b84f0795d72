import { VectorIndexObject } from '../../../workers/provenance/src/vectors/index-object.ts'

export { VectorIndexObject }

interface Bindings {
  readonly VECTOR_INDEX: DurableObjectNamespace<VectorIndexObject>
}

const PASS_BYTES = 32 * 2 ** 20
let memory: Int32Array | undefined

/** The embedded index behind two routes, and a pass over memory to measure it against. Timed from outside. */
export default {
  async fetch(request: Request, { VECTOR_INDEX }: Bindings): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const index = VECTOR_INDEX.getByName('text')
    const bytes = new Uint8Array(await request.arrayBuffer())
    switch (pathname) {
      case '/put':
        return Response.json(await index.put(Number(searchParams.get('set')), bytes))
      case '/nearest': {
        const options = { topK: 50, maxDistance: Number(searchParams.get('maxDistance')) }
        return Response.json(await index.nearest(bytes, options))
      }
      case '/pass': {
        // Reads sequentially, at the speed of memory.
        memory ??= new Int32Array(PASS_BYTES / 4).fill(1)
        let sum = 0
        for (let times = Number(searchParams.get('times')); times > 0; times--)
          for (let i = 0; i < memory.length; i++) sum = (sum + memory[i]!) | 0
        return new Response(String(sum))
      }
      default:
        return new Response(null, { status: 404 })
    }
  },
}
