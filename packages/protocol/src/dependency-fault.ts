/**
 * Something that an answer depends on could not be reached or did not hold: an object, a database, a bucket. Thrown
 * where it happens and answered with 503 in one place, so that no caller can take it for an empty result.
 */
export class DependencyFault extends Error {
  override readonly name = 'DependencyFault'
  readonly dependency: string

  constructor(dependency: string, options?: ErrorOptions) {
    super(`${dependency} is unavailable`, options)
    this.dependency = dependency
  }
}

/** Runs work that reaches a dependency; whatever it throws becomes a fault of that dependency. */
export async function reaching<T>(dependency: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new DependencyFault(dependency, { cause })
  }
}
