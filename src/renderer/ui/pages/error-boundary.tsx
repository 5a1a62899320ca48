import { Component, type ReactNode } from 'react';
import { NotLoaded } from '../loading/lazy-component.ts';

interface ErrorBoundaryProps {
  fallback: ReactNode;
  children: ReactNode;
}

/**
 * Shows something else instead of children that threw, or whose code could not be loaded; in the latter case it tries
 * again when the browser is online again.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean }> {
  override state = { failed: false };
  private readonly retry = () => this.setState({ failed: false });

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    if (!(error instanceof NotLoaded)) return;
    error.forget();
    addEventListener('online', this.retry, { once: true });
  }

  override componentWillUnmount() {
    removeEventListener('online', this.retry);
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
