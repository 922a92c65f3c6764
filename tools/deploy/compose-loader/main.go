// Loads docker-compose.yml as Docker Compose does, with the loader of Compose itself, and prints the services of the profiles.
// The schema lets through what this refuses. Variables come from the environment.
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: compose-loader FILE PROFILE")
		os.Exit(2)
	}
	options, err := cli.NewProjectOptions(
		[]string{os.Args[1]},
		cli.WithOsEnv,
		cli.WithProfiles([]string{os.Args[2]}),
		cli.WithInterpolation(true),
		cli.WithResolvedPaths(true),
	)
	fail(err)
	project, err := options.LoadProject(context.Background())
	fail(err)
	names := project.ServiceNames()
	sort.Strings(names)
	for _, name := range names {
		service := project.Services[name]
		fmt.Printf("%s %d\n", strings.TrimSpace(name), service.Deploy.Resources.Limits.Pids)
	}
}

func fail(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
