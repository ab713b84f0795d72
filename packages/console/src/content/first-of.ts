export async function firstOf<T>(items: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const first: T[] = []
  for await (const item of items) {
    first.push(item)
    if (first.length === count) break
  }
  return first
}
