/**
 * A dependency (object, database, bucket) could not be reached or failed. Thrown where it happens and mapped to 503
 * in one place, so that a caller cannot mistake a failure for an empty result.
 */
export class DependencyFault extends Error {
  override readonly name = 'DependencyFault'
  readonly dependency: string

  constructor(dependency: string, options: ErrorOptions = {}) {
    super(`${dependency} is unavailable`, options)
    this.dependency = dependency
  }
}

/** Runs work that reaches a dependency and turns anything it throws into a `DependencyFault`. */
export async function reaching<T>(dependency: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new DependencyFault(dependency, { cause })
  }
}
