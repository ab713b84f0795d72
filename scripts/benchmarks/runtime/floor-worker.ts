import { DurableObject } from 'cloudflare:workers'

interface Bindings {
  readonly OBJECTS: DurableObjectNamespace<Bare>
}

/** An object without state. */
export class Bare extends DurableObject {
  answer(): number {
    return 0
  }
}

/** Reads the request, makes the requested number of object calls, and returns the requested number of bytes. */
export default {
  async fetch(request: Request, { OBJECTS }: Bindings): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name))
    request.headers.get('authorization')
    await request.arrayBuffer()
    for (let i = 0; i < number('calls'); i++) await OBJECTS.getByName('one').answer()
    return new Response(new Uint8Array(number('bytes')), { headers: { 'content-type': 'application/json' } })
  },
}
