/**
 * What a reader wants of several types, from 0 to 1, by its Accept header. A range such as `*` names no type: programs
 * send those without meaning any.
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

/** Browsers name HTML first; whoever wants JSON as much gets JSON. */
export function prefersHtml(accept: string | null | undefined): boolean {
  return acceptedWeight(accept, 'text/html') > acceptedWeight(accept, 'application/json')
}
