/**
 * The weight of a media type in an Accept header, from 0 to 1. A range such as `*` does not count: programs send it
 * without meaning any type.
 */
export function acceptedWeight(accept: string | null | undefined, type: string): number {
  const ranges = (accept ?? '').split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { name, weight: quality === undefined ? 1 : Number(quality.slice(2)) }
  })
  const { weight = 0 } = ranges.find(({ name }) => name === type) ?? {}
  return weight > 0 && weight <= 1 ? weight : 0
}

/** Browsers name HTML first; a client that accepts JSON equally gets JSON. */
export function prefersHtml(accept: string | null | undefined): boolean {
  return acceptedWeight(accept, 'text/html') > acceptedWeight(accept, 'application/json')
}
