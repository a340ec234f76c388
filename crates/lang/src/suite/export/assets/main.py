

def main():
    """Runs all cases without pytest: 0 if all pass, 1 if one fails, 3 if one is inconclusive."""
    import rig as reach

    verdicts = []
    for name, test in CASES:
        rig = reach.connect()
        try:
            test(rig)
            verdicts.append(0)
            print("PASS  %s" % name)
        except Inconclusive as doubt:
            verdicts.append(3)
            print("INCONCLUSIVE  %s: %s" % (name, doubt))
        except AssertionError as wrong:
            verdicts.append(1)
            print("FAIL  %s: %s" % (name, wrong))
        finally:
            rig.close()
    return 1 if 1 in verdicts else max(verdicts, default=0)


if __name__ == "__main__":
    sys.exit(main())
